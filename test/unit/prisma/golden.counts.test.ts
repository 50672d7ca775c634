import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresGoldenStore } from '../../../prisma/evaluation/golden.js';
import { admin, type Fixture, newTenant, openFixture } from './fixture.js';
import { judgedHit } from './judged-hit.js';

let fixture: Fixture;
const statements: string[] = [];
beforeAll(async () => {
  fixture = await openFixture({ onQuery: (sql) => statements.push(sql) });
});
afterAll(() => fixture.close());

test('the last judgement of each card counts, in each of the sets, and no judgement is read when a case is added', async () => {
  const viewer = admin(newTenant());
  const store = new PostgresGoldenStore(fixture.database);
  for (const set of ['s', 'other']) await store.judge(viewer, judgedHit({ set, caseId: 'a' }));
  for (const relevance of ['SAME_MISTAKE', 'NOT_THE_SAME'] as const) {
    await store.judge(viewer, judgedHit({ set: 's', caseId: 'b', relevance }));
  }
  statements.length = 0;
  const { query } = judgedHit();
  const one = { id: 'c', ...query, perspective: null, reason: null, judgements: [] };
  expect(await store.addCase(viewer, 's', one)).toEqual(await store.set(viewer, 's'));
  expect(statements.filter((sql) => sql.includes('FROM golden_judgement'))).toEqual([]);
  expect(await store.counts(viewer, ['s', 'other', 'unknown'])).toEqual(
    new Map([
      ['s', { cases: 3, judgedCases: 1, judgements: 2 }],
      ['other', { cases: 1, judgedCases: 1, judgements: 1 }],
    ]),
  );
  expect(await store.counts(admin(newTenant()), ['s'])).toEqual(new Map());
});
