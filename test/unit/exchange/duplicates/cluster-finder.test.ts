import { afterAll, expect, test } from 'vitest';
import type { Card } from '../../../../src/domain/card.js';
import { listCursor, listDigest } from '../../../../src/domain/page.js';
import type { CardFilter } from '../../../../src/domain/search.js';
import { DEFAULT_VIEWER, type Viewer } from '../../../../src/domain/viewer.js';
import { ClusterFinder } from '../../../../src/exchange/duplicates/cluster-finder.js';
import { Workers } from '../../../../src/runtime/workers/workers.js';
import { cardOf } from '../../../support/generators.js';
import { among } from '../../../support/memory-ports.js';

const workers = new Workers();
afterAll(() => workers.close());

/** Compares these cards; then those in `stored` are read. */
function finderOf(
  duplicateCandidates: () => Promise<readonly (readonly string[])[]>,
  compared: ReadonlyMap<string, Card>,
  stored = compared,
): ClusterFinder {
  return new ClusterFinder({
    cards: { byIds: async (_viewer, ids) => among(stored, ids) },
    imports: { duplicateCandidates, compared: async (_viewer, ids) => [...among(compared, ids).values()] },
    workers,
    takeTurn: async (run) => run(),
  });
}

test('a page of duplicates is full although clusters lost their cards meanwhile, and only the last one is short', async () => {
  const places = Array.from({ length: 130 }, (_, place) => String(place).padStart(3, '0'));
  const pairs = places.map((place) => [`a${place}`, `b${place}`]);
  const cards = new Map(
    pairs.flat().map((id) => [id, cardOf({ id, questionText: `求第 ${id.slice(1)} 个三角形的面积` })]),
  );
  // Deleted between the comparison and the reading of the cards.
  const left = new Map(
    [...cards].filter(([id]) => !['b000', 'b001', 'b003'].includes(id) && !/^b(0[5-9]|1[01])/.test(id)),
  );
  const finder = finderOf(async () => pairs, cards, left);
  const page = async (first: number, after: string | null) => {
    const found = await finder.find(DEFAULT_VIEWER, {}, { first, after }, new AbortController().signal);
    return { ids: found.map((cluster) => cluster.cards[0]?.id.slice(1)), last: found.at(-1)?.cursor ?? null };
  };
  const { ids, last } = await page(2, null);
  expect(ids).toEqual(['002', '004']);
  // Clusters 50 to 119 are gone.
  const next = await page(50, last);
  expect(next.ids).toEqual([...places.slice(5, 50), ...places.slice(120, 125)]);
  expect((await page(50, next.last)).ids).toEqual(places.slice(125));
});

test('the first page of duplicates compares the cards, and further pages of the same list do not', async () => {
  const pairs = ['1', '2', '3'].map((place) => [`a${place}`, `b${place}`]);
  const cards = new Map(
    pairs.flat().map((id) => [id, cardOf({ id, questionText: `求第 ${id.slice(1)} 个三角形的面积` })]),
  );
  let comparisons = 0;
  const finder = finderOf(async () => {
    comparisons += 1;
    return pairs;
  }, cards);
  const find = async (after: string | null) => {
    const [cluster] = await finder.find(DEFAULT_VIEWER, {}, { first: 1, after }, new AbortController().signal);
    return { id: cluster?.cards[0]?.id, cursor: cluster?.cursor ?? null, comparisons };
  };
  const { cursor } = await find(null);
  expect(await find(cursor)).toMatchObject({ id: 'a2', comparisons: 1 });
  cards.delete('b3');
  expect(await find((await find(cursor)).cursor)).toMatchObject({ id: undefined, comparisons: 1 });
  expect(await find(null)).toMatchObject({ id: 'a1', comparisons: 2 });
});

test('further pages list no card whose question was changed after the comparison', async () => {
  const groups = ['1', '2', '3', '4'].map((place) => ['a', 'b', 'c'].map((letter) => `${letter}${place}`));
  const textOf = (id: string) => `求第 ${id.slice(1)} 个三角形的面积`;
  const cards = new Map(groups.flat().map((id) => [id, cardOf({ id, questionText: textOf(id) })]));
  const finder = finderOf(async () => groups, cards);
  const page = async (after: string | null) => {
    const found = await finder.find(DEFAULT_VIEWER, {}, { first: 1, after }, new AbortController().signal);
    return { ids: found[0]?.cards.map(({ id }) => id), cursor: found[0]?.cursor ?? null };
  };
  const change = (id: string, changes: Partial<Card>) => void cards.set(id, cardOf({ id, ...changes }));
  const { ids, cursor } = await page(null);
  expect(ids).toEqual(['a1', 'b1', 'c1']);
  change('b2', { questionText: '解方程 $x^2=4$' });
  // A change of something else.
  change('c2', { questionText: textOf('c2'), notes: '再看一遍' });
  // The card that the others of its cluster were compared with.
  change('a3', { questionText: '解方程 $x^2=9$' });
  const next = await page(cursor);
  expect(next.ids).toEqual(['a2', 'c2']);
  expect((await page(next.cursor)).ids).toEqual(['a4', 'b4', 'c4']);
});

test('a cursor of duplicates among other cards is refused', async () => {
  const finder = finderOf(async () => [], new Map());
  const find = (viewer: Viewer, filter: CardFilter) =>
    finder.find(viewer, filter, { first: 1, after }, new AbortController().signal);
  const after = listCursor([2, 0.9, 'a1'], listDigest(DEFAULT_VIEWER, ['duplicates', []]));
  expect(await find(DEFAULT_VIEWER, {})).toEqual([]);
  const lists: [Viewer, CardFilter][] = [
    [DEFAULT_VIEWER, { subject: ['math'] }],
    [{ ...DEFAULT_VIEWER, role: 'student' }, {}],
    [{ ...DEFAULT_VIEWER, tenantId: 'other' }, {}],
  ];
  for (const list of lists) await expect(find(...list)).rejects.toThrow('after: is a cursor of another filter');
});
