import { describe, expect, test } from 'vitest';
import type { CardFilter } from '../../../src/domain/search.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { Engine } from '../../../src/search/engine.js';
import { partsOf, searchIn, type World } from '../../support/engine-world.js';
import { cardOf, requestOf } from '../../support/generators.js';

test('a search from a merged card is one from the card that it was merged into', async () => {
  const text = { questionText: '解方程 x+1=2' };
  const world = { cards: [cardOf({ id: 'a', ...text }), cardOf({ id: 'b', ...text })], merged: { old: 'a' } };
  const by = async (cardId: string) => (await searchIn(world, requestOf({ subject: { kind: 'card', cardId } }))).hits;
  expect((await by('old')).map(({ card }) => card.id)).toEqual(['b']);
  expect(await by('old')).toEqual(await by('a'));
  await expect(by('deleted')).rejects.toThrow('no card with the id "deleted"');
});

describe('a search that excludes a merged card', () => {
  const text = '解方程 x+1=2';
  const best = cardOf({ id: 'a', questionText: text });
  const others = Array.from({ length: 12 }, (_, place) =>
    cardOf({ id: `b${place}`, questionText: `求三角形的面积，底 ${place}，高 3` }),
  );
  const asked = (filter: CardFilter) => requestOf({ subject: { kind: 'text', text }, topK: 1, filter });

  test('is the one that excludes the card that it was merged into, in its scores and its receipt too', async () => {
    const world: World = { cards: [best, ...others], merged: { old: 'a' } };
    const by = async (...excludeCardIds: string[]) => {
      const { hits, receipt } = await searchIn(world, asked({ excludeCardIds }));
      const { matchedByFilter, nothingClose, candidates, thresholdsTried, stages } = receipt;
      const passes = stages.filter(({ stage }) => stage === 'score').length;
      return { hits, matchedByFilter, nothingClose, candidates, thresholdsTried, passes };
    };
    expect(await by('old')).toEqual(await by('a'));
    expect(await by('old')).toMatchObject({ matchedByFilter: others.length, passes: 1 });
    expect(await by('unknown')).toMatchObject({ hits: [{ card: { id: 'a' } }], matchedByFilter: others.length + 1 });
  });

  test('excludes that card before the index knows of the merge, but not that of a card that only the index has', async () => {
    const world: World = { cards: [cardOf({ id: 'old' }), best, ...others], deleted: ['old'], merged: { old: 'a' } };
    const bestBy = async (filter: CardFilter) => (await searchIn(world, asked(filter))).hits.map(({ card }) => card.id);
    expect(await bestBy({ excludeCardIds: ['old'] })).toEqual([expect.stringMatching(/^b/)]);
    expect(await bestBy({})).toEqual(['a']);
  });

  test('reads no card for an excluded one that the index has', async () => {
    const parts = await partsOf({ cards: [best, ...others] });
    const read: (readonly string[])[] = [];
    const byIds: typeof parts.cards.byIds = (viewer, ids, signal) => {
      read.push(ids);
      return parts.cards.byIds(viewer, ids, signal);
    };
    const engine = new Engine({ ...parts, cards: { ...parts.cards, byIds } });
    const search = (excludeCardIds: string[]) =>
      engine.search(DEFAULT_VIEWER, asked({ excludeCardIds }), new AbortController().signal);
    await search(['a', 'b1']);
    expect(read).toEqual([]);
    await search(['a', 'old', 'b1']);
    expect(read).toEqual([['old']]);
  });
});
