import { expect, test } from 'vitest';
import type { Card } from '../../../src/domain/card.js';
import { cardByGivenId, cardsByGivenIds } from '../../../src/domain/given-ids.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { cardOf } from '../../support/generators.js';
import { among } from '../../support/memory-ports.js';

test('merged cards are looked up by one statement, and only for ids that are no card of the viewer', async () => {
  const [a, b] = [cardOf({ id: 'a' }), cardOf({ id: 'b' })];
  const own = new Map<string, Card>([a, b].map((card) => [card.id, card]));
  const asked: (readonly string[])[] = [];
  const cards = {
    byIds: async (_viewer: unknown, ids: readonly string[]) => among(own, ids),
    mergedInto: async (_viewer: unknown, ids: readonly string[]) => {
      asked.push(ids);
      return among(new Map([['old', a]]), ids);
    },
  };
  expect([...(await cardsByGivenIds(cards, DEFAULT_VIEWER, ['b', 'a']))]).toEqual([
    ['b', b],
    ['a', a],
  ]);
  expect(await cardByGivenId(cards, DEFAULT_VIEWER, 'b')).toBe(b);
  expect(asked).toEqual([]);
  const found = await cardsByGivenIds(cards, DEFAULT_VIEWER, ['old', 'b', 'deleted']);
  expect(found).toEqual(
    new Map([
      ['b', b],
      ['old', a],
    ]),
  );
  expect(asked).toEqual([['old', 'deleted']]);
  await expect(cardByGivenId(cards, DEFAULT_VIEWER, 'deleted')).rejects.toThrow('no card with the id "deleted"');
});
