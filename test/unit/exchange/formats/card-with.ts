import type { Card } from '../../../../src/domain/card.js';
import type { Occurrence } from '../../../../src/domain/occurrence.js';
import type { CardWithOccurrences } from '../../../../src/exchange/formats/write/card-lines.js';
import { cardOf } from '../../../support/generators.js';

/** A card as an export reads it, with an occurrence for each of `times`. */
export function cardWith(said: Partial<Card>, times: readonly Partial<Occurrence>[] = [{}]): CardWithOccurrences {
  const card = cardOf({
    id: 'card-1',
    grade: null,
    difficulty: 2,
    questionText: '1+1=?',
    occurredAt: new Date('2026-03-01T00:00:00Z'),
    occurrences: times.length,
    createdAt: new Date('2026-03-02T00:00:00Z'),
    updatedAt: new Date('2026-03-02T00:00:00Z'),
    ...said,
  });
  const occurrences = times.map((time, place) => ({
    number: place + 1,
    occurredAt: card.occurredAt,
    wrongSolution: card.studentSolutionText,
    errorTypes: card.errorTypes,
    mergedId: null,
    merged: null,
    ...time,
  }));
  return { card, occurrences };
}
