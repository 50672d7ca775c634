import type { Card } from '../../../../src/domain/card.js';
import type { Occurrence } from '../../../../src/domain/occurrence.js';
import type { CardWithOccurrences } from '../../../../src/exchange/formats/write/card-lines.js';

/** A card as an export reads it, with an occurrence for each of `times`. */
export function cardWith(said: Partial<Card>, times: readonly Partial<Occurrence>[] = [{}]): CardWithOccurrences {
  const card: Card = {
    tenantId: 'default',
    ownerId: 'default',
    id: 'card-1',
    subject: 'math',
    grade: null,
    difficulty: 2,
    questionText: '1+1=?',
    choices: [],
    studentSolutionText: null,
    goldSolutionBrief: null,
    topicTags: [],
    errorTypes: [],
    qualityGrade: null,
    source: null,
    notes: null,
    occurredAt: new Date('2026-03-01T00:00:00Z'),
    metadata: [],
    attachments: [],
    revision: 1,
    occurrences: times.length,
    createdAt: new Date('2026-03-02T00:00:00Z'),
    updatedAt: new Date('2026-03-02T00:00:00Z'),
    ...said,
  };
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
