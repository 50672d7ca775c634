import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresEvaluationStore } from '../../../prisma/evaluation/evaluations.js';
import { admin, type Fixture, newTenant, openFixture } from './fixture.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

test('an evaluation without progress for a minute has failed, and ended when it was last seen', async () => {
  const viewer = admin(newTenant());
  const store = new PostgresEvaluationStore(fixture.database);
  const started = { set: 's', profile: 'default', against: null, k: 10, total: 5 };
  const { id } = await store.begin(viewer, started);
  expect(await store.job(viewer, id)).toMatchObject({ ...started, state: 'RUNNING', error: null, finishedAt: null });
  const seenAt = new Date(Date.now() - 61_000);
  await fixture.database.run(({ evaluation }) => evaluation.updateMany({ where: { id }, data: { seenAt } }));
  const failed = { state: 'FAILED', error: 'its gateway ended before it', finishedAt: seenAt };
  expect(await store.job(viewer, id)).toMatchObject(failed);
});

test('an evaluation fails whatever its error quotes, such as the answer of an embedding endpoint', async () => {
  const viewer = admin(newTenant());
  const store = new PostgresEvaluationStore(fixture.database);
  const { id } = await store.begin(viewer, { set: 's', profile: 'default', against: null, k: 10, total: 5 });
  await store.fail(viewer, id, 'the endpoint answered 400: \0 \ud835');
  expect(await store.job(viewer, id)).toMatchObject({
    state: 'FAILED',
    error: 'the endpoint answered 400: \ufffd \ufffd',
  });
});
