/** How a list of cards is loaded in pages. */
import { expect, test } from 'vitest';
import { type Loaded, loadPages, NOTHING_LOADED } from '../../../studio/cards/card-pages.js';
import type { CardFields, CardsResult } from '../../../studio/generated/operations.js';

const PAGES = 5;

/** Pages of two cards, called by their places. */
async function page(cursor: string | null): Promise<CardsResult['cards']> {
  const at = cursor === null ? 0 : Number(cursor) + 1;
  const nodes = [`${2 * at}`, `${2 * at + 1}`].map((id) => ({ id }) as CardFields);
  return { nodes, totalCount: 2 * PAGES, pageInfo: { hasNextPage: at < PAGES - 1, endCursor: `${at}` } };
}

const ignore = (): void => undefined;
const idsOf = ({ cards }: Loaded): string => cards.map(({ id }) => id).join(' ');

test('the page after earlier cards is the one that follows them, also if later ones were loaded meanwhile', async () => {
  const first = await loadPages(NOTHING_LOADED, 0, page, ignore);
  expect(idsOf(await loadPages(first, 0, page, ignore))).toBe('0 1 2 3');
  expect(idsOf(await loadPages(first, 0, page, ignore))).toBe('0 1 2 3');
});

test('pages are loaded until there are as many cards as are wanted, or no more', async () => {
  expect(idsOf(await loadPages(NOTHING_LOADED, 5, page, ignore))).toBe('0 1 2 3 4 5');
  const all = await loadPages(NOTHING_LOADED, 100, page, ignore);
  expect([all.cards.length, all.more]).toEqual([10, false]);
});

test('after a failed request, loading goes on after the pages that have arrived', async () => {
  let reached = NOTHING_LOADED;
  const asked: (string | null)[] = [];
  const ask = (cursor: string | null): ReturnType<typeof page> => {
    asked.push(cursor);
    return asked.length === 3 ? Promise.reject(new Error('offline')) : page(cursor);
  };
  const load = (): Promise<Loaded> =>
    loadPages(reached, 100, ask, (loaded) => {
      reached = loaded;
    });
  await expect(load()).rejects.toThrow('offline');
  expect(idsOf(await load())).toBe('0 1 2 3 4 5 6 7 8 9');
  expect(asked).toEqual([null, '0', '1', '1', '2', '3']);
});
