import { expect, test } from 'vitest';
import type { CardFilter } from '../../../src/domain/search.js';
import { searchIn } from '../../support/engine-world.js';
import { cardOf, requestOf } from '../../support/generators.js';

test('a search from a merged card is one from the card that it was merged into', async () => {
  const text = { questionText: '解方程 x+1=2' };
  const world = { cards: [cardOf({ id: 'a', ...text }), cardOf({ id: 'b', ...text })], merged: { old: 'a' } };
  const by = async (cardId: string) => (await searchIn(world, requestOf({ subject: { kind: 'card', cardId } }))).hits;
  expect((await by('old')).map(({ card }) => card.id)).toEqual(['b']);
  expect(await by('old')).toEqual(await by('a'));
  await expect(by('deleted')).rejects.toThrow('no card with the id "deleted"');
});

test('a search excludes the card that an excluded one was merged into, but not that of a card that only the index has', async () => {
  const cards = [cardOf({ id: 'old' }), cardOf({ id: 'a' }), cardOf({ id: 'b' })];
  const world = { cards, deleted: ['old'], merged: { old: 'a' } };
  const idsBy = async (filter: CardFilter) => {
    const { hits } = await searchIn(world, requestOf({ filter }));
    return hits.map(({ card }) => card.id).toSorted();
  };
  expect(await idsBy({ excludeCardIds: ['old'] })).toEqual(['b']);
  expect(await idsBy({})).toEqual(['a', 'b']);
});
