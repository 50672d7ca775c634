import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresGoldenStore } from '../../../prisma/evaluation/golden.js';
import { ConflictError } from '../../../src/domain/errors.js';
import type { GoldenCase } from '../../../src/domain/golden.js';
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
    await until(isWaiting, { deadlineMs: 20_000, what: 'the undoing to wait for the judgement' });
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

test('a cursor of cases that were replaced meanwhile, or deleted with their set, is refused', async () => {
  const viewer = admin(newTenant());
  const store = new PostgresGoldenStore(fixture.database);
  const cases = ['a', 'b', 'c'].map((id): GoldenCase => {
    const subject = { kind: 'text', text: id } as const;
    return { id, operation: 'byError', subject, filter: {}, perspective: null, judgements: [], reason: null };
  });
  const read = async (after: string | null) => {
    const edges = (await store.cases(viewer, ['s'], { first: 2, after })).get('s')?.edges ?? [];
    return { ids: edges.map(({ node }) => node.id), cursor: edges.at(-1)?.cursor ?? null };
  };
  await store.save(viewer, { name: 's', cases });
  const { ids, cursor } = await read(null);
  expect(ids).toEqual(['a', 'b']);
  await store.save(viewer, { name: 's', description: 'about', cases: null });
  await store.addCase(viewer, 's', { ...cases[0], id: 'd' } as GoldenCase);
  expect((await read(cursor)).ids).toEqual(['c', 'd']);
  const refused = 'the cases of the set were replaced meanwhile: read them again from the first page';
  await store.save(viewer, { name: 's', cases });
  await expect(read(cursor)).rejects.toThrow(new ConflictError(refused));
  expect((await read(null)).ids).toEqual(['a', 'b']);
  const { cursor: later } = await read(null);
  await store.delete(viewer, 's');
  await store.save(viewer, { name: 's', cases });
  await expect(read(later)).rejects.toThrow(new ConflictError(refused));
  const { cursor: latest } = await read(null);
  await store.save(viewer, { name: 's', cases: [] });
  await expect(read(latest)).rejects.toThrow(new ConflictError(refused));
});

test('a cursor of the last case of a set gives an empty page', async () => {
  const viewer = admin(newTenant());
  const store = new PostgresGoldenStore(fixture.database);
  await store.judge(viewer, judged);
  const read = async (after: string | null) =>
    (await store.cases(viewer, ['judged'], { first: 2, after })).get('judged');
  const cursor = (await read(null))?.edges.at(-1)?.cursor ?? null;
  expect(await read(cursor)).toEqual({ edges: [], hasNextPage: false });
});
