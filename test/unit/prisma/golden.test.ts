import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresGoldenStore } from '../../../prisma/evaluation/golden.js';
import { NotFoundError } from '../../../src/domain/errors.js';
import {
  type GoldenCase,
  type GoldenCounts,
  GRADE_OF,
  type Judgement,
  RELEVANCES,
  type Relevance,
} from '../../../src/domain/golden.js';
import { decodeCursor, encodeCursor, type Page, type Place } from '../../../src/domain/page.js';
import type { PageRequest } from '../../../src/domain/ports/cards.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { runs } from '../../support/runs.js';
import { admin, type Fixture, newTenant, openFixture } from './fixture.js';
import { judgedHit } from './judged-hit.js';

let fixture: Fixture;
let store: PostgresGoldenStore;
const statements: string[] = [];

beforeAll(async () => {
  fixture = await openFixture({ onQuery: (sql) => statements.push(sql) });
  store = new PostgresGoldenStore(fixture.database);
});
afterAll(() => fixture.close());

function caseOf(id: string, over: Partial<GoldenCase> = {}): GoldenCase {
  return {
    id,
    operation: 'byError',
    subject: { kind: 'text', text: `question ${id}` },
    filter: {},
    perspective: null,
    judgements: [{ cardId: 'c1', grade: 1, reason: null }],
    reason: null,
    ...over,
  };
}

const FIRST = { first: 100, after: null };

async function casesOf(viewer: Viewer, set: string, page: PageRequest): Promise<Page<GoldenCase>> {
  return (await store.cases(viewer, [set], page)).get(set) as Page<GoldenCase>;
}

async function allCases(viewer: ReturnType<typeof admin>, set: string): Promise<readonly GoldenCase[]> {
  return (await casesOf(viewer, set, FIRST)).edges.map(({ node }) => node);
}

async function countsOf(viewer: Viewer, set: string): Promise<GoldenCounts | undefined> {
  return (await store.counts(viewer, [set])).get(set);
}

describe('golden sets in PostgreSQL', () => {
  test('are read as they were saved, in their order, whatever their ids, page by page', async () => {
    const viewer = admin(newTenant());
    const cases = [
      caseOf('z', { reason: '同坑', perspective: 'error' }),
      caseOf('a', { operation: 'similarQuestions', subject: { kind: 'card', cardId: 'c7' }, judgements: [] }),
      caseOf('m', {
        filter: { grade: ['G6'], excludeCardIds: ['c9'], occurredAfter: new Date('2026-01-02T03:04:05.678Z') },
        judgements: [
          { cardId: 'c3', grade: 2, reason: 'the same trap' },
          { cardId: 'c1', grade: 0, reason: null },
        ],
      }),
    ];
    const set = await store.save(viewer, { name: '六年级', description: 'ours', cases });
    expect(set).toMatchObject({ name: '六年级', description: 'ours' });
    expect(await countsOf(viewer, '六年级')).toEqual({ cases: 3, judgedCases: 2, judgements: 3 });
    const first = await casesOf(viewer, '六年级', { first: 2, after: null });
    const rest = await casesOf(viewer, '六年级', { first: 2, after: first.edges.at(-1)?.cursor ?? null });
    expect([...first.edges, ...rest.edges].map(({ node }) => node)).toEqual(cases);
    expect([first.hasNextPage, rest.hasNextPage]).toEqual([true, false]);
    expect(await store.sets(viewer, FIRST)).toEqual([set]);
  });

  test('end a page after thousands of judgements, of all sets of a request', async () => {
    const viewer = admin(newTenant());
    const judgements = Array.from({ length: 4_000 }, (_, place) => ({ cardId: `c${place}`, grade: 1, reason: null }));
    const cases = ['a', 'b', 'c', 'd'].map((id) => caseOf(id, { judgements }));
    for (const name of ['one', 'two']) await store.save(viewer, { name, cases });
    const ids = ({ edges }: Page<GoldenCase>) => edges.map(({ node }) => node.id);
    const first = await casesOf(viewer, 'one', FIRST);
    expect([ids(first), first.hasNextPage]).toEqual([['a', 'b', 'c'], true]);
    const after = first.edges.at(-1)?.cursor ?? null;
    const rest = await casesOf(viewer, 'one', { first: 100, after });
    expect([ids(rest), rest.hasNextPage]).toEqual([['d'], false]);
    expect(rest.edges[0]?.node).toEqual(cases[3]);
    const both = await store.cases(viewer, ['one', 'two'], { first: 1, after: null });
    expect([...both.values()].map((page) => [ids(page), page.hasNextPage])).toEqual([
      [['a'], true],
      [['a'], true],
    ]);
    const all = await store.cases(viewer, ['one', 'two'], FIRST);
    expect([...all.values()].map(ids)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  test('are listed page by page, and the cases of many sets are read by one statement', async () => {
    const viewer = admin(newTenant());
    const names = ['a', 'b', 'c'];
    for (const name of names) {
      const cases = [caseOf(`${name}1`), caseOf(`${name}2`), caseOf(`${name}3`)];
      await store.save(viewer, { name, cases: name === 'b' ? [] : cases });
    }
    const listed = async (first: number, after: string | null) =>
      (await store.sets(viewer, { first, after })).map(({ name }) => name);
    expect(await listed(2, null)).toEqual(['a', 'b']);
    expect(await listed(2, encodeCursor(['b']))).toEqual(['c']);
    expect(await listed(2, encodeCursor(['c']))).toEqual([]);
    await expect(listed(2, encodeCursor([1]))).rejects.toThrow('after: is not a cursor of this list');
    statements.length = 0;
    const pages = await store.cases(viewer, [...names, 'unknown'], { first: 2, after: null });
    // Between two, a case of the page could be deleted, and the page would say that it is the last one.
    expect(statements).toHaveLength(1);
    const found = [...pages].map(([name, { edges, hasNextPage }]) => [
      name,
      edges.map(({ node }) => node.id),
      hasNextPage,
    ]);
    expect(found).toEqual([
      ['a', ['a1', 'a2'], true],
      ['b', [], false],
      ['c', ['c1', 'c2'], true],
      ['unknown', [], false],
    ]);
  });

  test('keep their cases and their description where only the other is saved', async () => {
    const viewer = admin(newTenant());
    await store.save(viewer, { name: 's', description: 'about', cases: [caseOf('a')] });
    expect(await store.save(viewer, { name: 's', cases: null })).toMatchObject({ description: 'about' });
    expect(await countsOf(viewer, 's')).toMatchObject({ cases: 1 });
    expect(await store.save(viewer, { name: 's', cases: [] })).toMatchObject({ description: 'about' });
    expect(await countsOf(viewer, 's')).toBeUndefined();
    const cleared = await store.save(viewer, { name: 's', description: null, cases: null });
    expect(cleared).toMatchObject({ description: null });
  });

  test('replace the case with the same id in its place, and append a new one', async () => {
    const viewer = admin(newTenant());
    await store.save(viewer, { name: 's', cases: [caseOf('a'), caseOf('b')] });
    const changed = caseOf('a', { operation: 'hybridSearch' });
    await store.addCase(viewer, 's', changed);
    await store.addCase(viewer, 's', caseOf('c'));
    expect(await allCases(viewer, 's')).toEqual([changed, caseOf('b'), caseOf('c')]);
    await expect(store.addCase(viewer, 'nowhere', changed)).rejects.toThrow(NotFoundError);
  });

  test('are written by the same statements, however many cases and judgements they have', async () => {
    const viewer = admin(newTenant());
    const sentFor = async (count: number): Promise<readonly string[]> => {
      const judgements = Array.from({ length: count }, (_, at) => ({
        cardId: `c${count - at}`,
        grade: 1,
        reason: null,
      }));
      const cases = Array.from({ length: count }, (_, at) => caseOf(`${count - at}`, { judgements }));
      statements.length = 0;
      await store.save(viewer, { name: 's', cases });
      const sent = statements.filter((sql) => /INSERT INTO/.test(sql));
      expect(await allCases(viewer, 's')).toEqual(cases);
      return sent;
    };
    const ofOne = await sentFor(1);
    expect(ofOne.length).toBeGreaterThan(1);
    expect(await sentFor(40)).toEqual(ofOne);
  });

  test('of another tenant are not visible', async () => {
    const [ours, theirs] = [admin(newTenant()), admin(newTenant())];
    await store.save(ours, { name: 's', cases: [caseOf('a')] });
    const judged = await store.judge(ours, judgedHit({ set: 's' }));
    expect(await store.sets(theirs, FIRST)).toEqual([]);
    expect(await allCases(theirs, 's')).toEqual([]);
    expect(await countsOf(theirs, 's')).toBeUndefined();
    await expect(store.set(theirs, 's')).rejects.toThrow(NotFoundError);
    await expect(store.addCase(theirs, 's', caseOf('b'))).rejects.toThrow(NotFoundError);
    await expect(store.undo(theirs, judged.judgementId)).rejects.toThrow(NotFoundError);
    expect(await store.delete(theirs, 's')).toBe(false);
    expect(await allCases(ours, 's')).toHaveLength(2);
  });

  test('are deleted with their cases', async () => {
    const viewer = admin(newTenant());
    await store.save(viewer, { name: 's', cases: [caseOf('a')] });
    expect(await store.delete(viewer, 's')).toBe(true);
    expect(await store.delete(viewer, 's')).toBe(false);
    await store.save(viewer, { name: 's', cases: null });
    expect(await allCases(viewer, 's')).toEqual([]);
  });
});

describe('judged hits', () => {
  test('create their set and case; undoing them deletes the judgement and the case', async () => {
    const viewer = admin(newTenant());
    const first = await store.judge(viewer, judgedHit({ reason: 'same trap' }));
    expect(first.goldenCase).toEqual(
      caseOf('q1', {
        subject: { kind: 'text', text: 'sign error' },
        judgements: [{ cardId: 'c1', grade: 2, reason: 'same trap' }],
      }),
    );
    const second = await store.judge(viewer, judgedHit({ relevance: 'WRONG_LABEL' }));
    expect(second.goldenCase.judgements).toEqual([{ cardId: 'c1', grade: 0, reason: null }]);
    const undone = await store.undo(viewer, second.judgementId);
    expect(undone.goldenCase).toEqual(first.goldenCase);
    expect(await store.undo(viewer, first.judgementId)).toEqual({ set: 'judged', goldenCase: null });
    await expect(store.undo(viewer, first.judgementId)).rejects.toThrow(NotFoundError);
    await expect(store.undo(viewer, 'x')).rejects.toThrow(NotFoundError);
  });

  test('have ids and cursors that do not count those of other schools', async () => {
    const [ours, theirs] = [admin(newTenant()), admin(newTenant())];
    const start = await fixture.database.now();
    const first = await store.judge(ours, judgedHit());
    for (const caseId of ['q1', 'q2', 'q3']) await store.judge(theirs, judgedHit({ caseId }));
    const second = await store.judge(ours, judgedHit({ caseId: 'q2' }));
    for (const { judgementId } of [first, second]) expect(judgementId).toMatch(/^[\da-f-]{36}$/);
    const end = await fixture.database.now();
    const { edges } = await casesOf(ours, 'judged', FIRST);
    const isPlace = (values: Place): values is readonly [string, string] => values.length === 2;
    const numbers = edges.map(({ cursor }) => Number(decodeCursor(cursor, isPlace)[1]) / 1_000);
    // The times at which they were judged.
    expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers);
    for (const number of numbers) {
      expect(number).toBeGreaterThanOrEqual(start.getTime());
      expect(number).toBeLessThanOrEqual(end.getTime());
    }
  });

  test('are undone by their number if they are older than the keys, and only then', async () => {
    const viewer = admin(newTenant());
    const numberOf = async (judgementId: string): Promise<string> => {
      const found = { where: { tenantId: viewer.tenantId, key: judgementId } };
      const { id } = await fixture.database.run((prisma) => prisma.goldenJudgement.findFirstOrThrow(found));
      return String(id);
    };
    const [old, recent] = [await store.judge(viewer, judgedHit()), await store.judge(viewer, judgedHit())];
    const [oldNumber, number] = [await numberOf(old.judgementId), await numberOf(recent.judgementId)];
    const ageing = { where: { key: old.judgementId }, data: { key: null } };
    await fixture.database.run((prisma) => prisma.goldenJudgement.updateMany(ageing));
    await expect(store.undo(viewer, number)).rejects.toThrow(NotFoundError);
    expect((await store.undo(viewer, oldNumber)).goldenCase).not.toBeNull();
    expect((await store.undo(viewer, recent.judgementId)).goldenCase).toBeNull();
  });

  test('that are all undone leave a case that was written', async () => {
    const viewer = admin(newTenant());
    const written = caseOf('q1', { judgements: [] });
    await store.save(viewer, { name: 'judged', cases: [written] });
    const { judgementId } = await store.judge(viewer, judgedHit());
    expect((await store.undo(viewer, judgementId)).goldenCase).toEqual(written);
  });

  test('of one card form a stack: the last one that is not undone counts, in any order of judging and undoing', async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('judge' as const),
        cardId: fc.constantFrom('c1', 'c2', 'c3'),
        relevance: fc.constantFrom(...RELEVANCES),
      }),
      fc.record({ kind: fc.constant('undo' as const), which: fc.nat(9) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
        const viewer = admin(newTenant());
        const said: { id: string; cardId: string; relevance: Relevance }[] = [];
        for (const one of steps) {
          if (one.kind === 'judge') {
            const { judgementId } = await store.judge(viewer, judgedHit(one));
            said.push({ id: judgementId, cardId: one.cardId, relevance: one.relevance });
          } else if (said.length > 0) {
            const [gone] = said.splice(one.which % said.length, 1);
            await store.undo(viewer, String(gone?.id));
          }
        }
        const cards = [...new Set(said.map(({ cardId }) => cardId))];
        const expected = cards.map((cardId): Judgement => {
          const last = said.findLast((entry) => entry.cardId === cardId);
          return { cardId, grade: GRADE_OF[(last as { relevance: Relevance }).relevance], reason: null };
        });
        const [found] = await allCases(viewer, 'judged');
        expect(found?.judgements ?? []).toEqual(expected);
      }),
      { numRuns: runs(80) },
    );
  });
});
