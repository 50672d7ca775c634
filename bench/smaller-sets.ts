/** Parts of the sets that the benchmark of quality asks, the same in every run. */
import { createHash } from 'node:crypto';
import type { NewCard } from '../src/domain/card.js';
import type { Case } from './golden-quality.js';

/** 0 .. 1, always the same for the same id. */
function drawn(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32;
}

/**
 * The cards, a `share` of them (0 .. 1) without topic tags and error types; which ones is a matter of their ids alone.
 */
export function stripLabels(cards: readonly NewCard[], share: number): readonly NewCard[] {
  return cards.map((card) => (drawn(`${card.id}`) < share ? { ...card, topicTags: [], errorTypes: [] } : card));
}

/** The cards in random notebooks of `size` cards each; all of them in one if that is 0. */
export function notebooksOf(cards: readonly NewCard[], size: number): readonly (readonly NewCard[])[] {
  if (size === 0) return [cards];
  const placeOf = new Map(cards.map(({ id }) => [id, drawn(`notebook ${id}`)]));
  const shuffled = cards.toSorted((a, b) => (placeOf.get(a.id) as number) - (placeOf.get(b.id) as number));
  const count = Math.floor(cards.length / size);
  return Array.from({ length: count }, (_, at) => shuffled.slice(at * size, (at + 1) * size));
}

/** The cases with relevant cards among these, and only those cards, with the lines of the cases. */
export function casesAmong(cases: readonly Case[], cards: readonly NewCard[]): readonly { one: Case; line: number }[] {
  const ids = new Set(cards.map(({ id }) => `${id}`));
  return cases.flatMap((one, line) => {
    const relevant = one.relevant.filter(({ cardId }) => ids.has(cardId));
    return relevant.length === 0 ? [] : [{ one: { ...one, relevant }, line }];
  });
}
