import { afterEach, expect, test } from 'vitest';
import type { GoldenCase, GoldenSet } from '../../src/domain/golden.js';
import { decodeCursor } from '../../src/domain/page.js';
import { turnCounter } from '../support/turns.js';
import { startApi, type TestApi } from './gateway.js';

let gateway: TestApi;
afterEach(() => gateway.close());

const at = new Date(0);
const SETS = ['a', 'b', 'c'].map((name): GoldenSet => {
  return { name, description: null, createdAt: at, updatedAt: at };
});

test('the cases of all listed sets are read at once for each page of them, and a wrong cursor fails its field alone', async () => {
  const read: unknown[] = [];
  gateway = await startApi({
    golden: {
      sets: async (_viewer, { first, after }) => {
        const from = after === null ? 0 : 1;
        return SETS.slice(from, from + first);
      },
      cases: async (_viewer, names, { first, after }) => {
        read.push([names, first]);
        if (after !== null) decodeCursor(after, (values): values is readonly [] => values.length === 0);
        const subject = { kind: 'text', text: 'sum' } as const;
        const node = (id: string): GoldenCase => {
          return { id, operation: 'byError', subject, filter: {}, perspective: null, judgements: [], reason: null };
        };
        return new Map(names.map((name) => [name, { edges: [{ cursor: 'x', node: node(name) }], hasNextPage: false }]));
      },
    },
  });
  const { data } = await gateway.post(`{ goldenSets(first: 2) { name cursor
    all: goldenCases(first: 5) { nodes { id } } few: goldenCases(first: 1) { nodes { id } }
    cases(first: 5) { nodes { id } } } }`);
  const pageOf = (name: string) => ({ nodes: [{ id: name }] });
  expect(data.goldenSets.map(({ cursor: _, ...set }: { cursor: string }) => set)).toEqual(
    ['a', 'b'].map((name) => ({ name, all: pageOf(name), few: pageOf(name), cases: pageOf(name) })),
  );
  expect(read).toEqual([
    [['a', 'b'], 5],
    [['a', 'b'], 1],
  ]);
  const { cursor } = data.goldenSets[0];
  const next = await gateway.post(`{ goldenSets(after: "${cursor}") { name } }`);
  expect(next.data.goldenSets.map(({ name }: { name: string }) => name)).toEqual(['b', 'c']);
  const refused = await gateway.post(
    `{ goldenSets(first: 1, after: "${cursor}") { good: goldenCases { nodes { id } } bad: goldenCases(after: "W10x") { nodes { id } } } }`,
  );
  expect(refused.errors).toMatchObject([{ path: ['goldenSets', 0, 'bad'], extensions: { field: 'after' } }]);
  // As before sets had pages: 10 sets of 50 cases, though there may be 100.
  const whole = await gateway.post('{ goldenSets { goldenCases { nodes { id } } } }');
  expect(whole.data.goldenSets).toHaveLength(SETS.length);
  expect((await gateway.post('{ goldenSets(first: 100) { goldenCases { nodes { id } } } }')).errors).toMatchObject([
    { extensions: { code: 'TOO_COMPLEX' } },
  ]);
  expect((await gateway.post('{ goldenSets(first: 101) { name } }')).errors[0]?.extensions).toMatchObject({
    field: 'first',
  });
});

test('cases are counted at once for all listed sets, and only where the counts are selected', async () => {
  const read: unknown[] = [];
  gateway = await startApi({
    golden: {
      sets: async () => SETS,
      addCase: async () => SETS[0] as GoldenSet,
      counts: async (_viewer, names) => {
        read.push(names);
        return new Map([['a', { cases: 3, judgedCases: 2, judgements: 5 }]]);
      },
    },
  });
  const added = await gateway.post(
    'mutation { addGoldenCase(set: "a", case: { operation: byError, text: "x" }) { name updatedAt } }',
  );
  expect(added.data.addGoldenCase.name).toBe('a');
  expect(read).toEqual([]);
  const { data } = await gateway.post('{ goldenSets { name caseCount judgedCaseCount judgementCount } }');
  expect(data.goldenSets.slice(0, 2)).toEqual([
    { name: 'a', caseCount: 3, judgedCaseCount: 2, judgementCount: 5 },
    { name: 'b', caseCount: 0, judgedCaseCount: 0, judgementCount: 0 },
  ]);
  expect(read).toEqual([['a', 'b', 'c']]);
});

test('cases with many judgements are answered in turns: other requests are answered meanwhile', async () => {
  const CASES = 60;
  const counter = turnCounter();
  const judgements = Array.from({ length: 101 }, (_, place) => ({ cardId: `c${place}`, grade: 1, reason: null }));
  const subject = { kind: 'text', text: 'sum' } as const;
  const nodes = Array.from({ length: CASES }, (_, place): GoldenCase => {
    return { id: `${place}`, operation: 'byError', subject, filter: {}, perspective: null, judgements, reason: null };
  });
  gateway = await startApi({
    golden: {
      set: async () => SETS[0] as GoldenSet,
      cases: async () => {
        counter.start();
        const edges = nodes.map((node) => ({ cursor: node.id, node }));
        return new Map([['a', { edges, hasNextPage: false }]]);
      },
    },
  });
  const { data } = await gateway.post(
    '{ goldenSet(name: "a") { goldenCases(first: 60) { nodes { id relevant { cardId } } } } }',
  );
  counter.stop();
  const answered = data.goldenSet.goldenCases.nodes.map((one: { relevant: object[] }) => one.relevant.length);
  expect(answered).toEqual(nodes.map(() => judgements.length));
  expect(counter.turns).toBeGreaterThan(CASES / 2);
});
