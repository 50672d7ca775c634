import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresGoldenStore } from '../../../prisma/evaluation/golden.js';
import { until } from '../../support/until.js';
import { admin, type Fixture, newTenant, openFixture } from './fixture.js';
import { judgedHit } from './judged-hit.js';
import { waiting } from './sessions.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

const judged = judgedHit();

test('undoing the only judgement of a case keeps one that is added meanwhile, and the case', async () => {
  const viewer = admin(newTenant());
  const { tenantId } = viewer;
  const store = new PostgresGoldenStore(fixture.database);
  const first = await store.judge(viewer, judged);
  let undone: ReturnType<PostgresGoldenStore['undo']> | undefined;
  // As `judge` does, but does not end before the other has begun.
  await fixture.database.as(viewer).transaction(async ({ prisma, now }) => {
    await prisma.goldenSet.updateMany({ where: { tenantId, name: 'judged' }, data: { updatedAt: now } });
    const { set: setName, caseId } = judged;
    await prisma.goldenJudgement.create({
      data: { tenantId, setName, caseId, cardId: 'c2', grade: 0, relevance: 'WRONG_LABEL', judgedBy: viewer.ownerId },
    });
    undone = store.undo(viewer, first.judgementId);
    undone.catch(() => undefined);
    const isWaiting = async () => (await waiting(fixture.database)) > 0;
    await until(isWaiting, { deadlineMs: 5_000, what: 'the undoing to wait for the judgement' });
  });
  expect((await undone)?.goldenCase?.judgements).toEqual([{ cardId: 'c2', grade: 0, reason: null }]);
});

test('a case that is judged after the last case was undone is read after its cursor', async () => {
  const viewer = admin(newTenant());
  const store = new PostgresGoldenStore(fixture.database);
  const read = async (after: string | null) => {
    const pages = await store.cases(viewer, ['judged'], { first: 10, after });
    return pages.get('judged')?.edges ?? [];
  };
  await store.judge(viewer, judged);
  const last = await store.judge(viewer, { ...judged, caseId: 'q2' });
  const cursor = (await read(null)).at(-1)?.cursor ?? null;
  await store.undo(viewer, last.judgementId);
  await store.judge(viewer, { ...judged, caseId: 'q3' });
  expect((await read(cursor)).map(({ node }) => node.id)).toEqual(['q3']);
});
