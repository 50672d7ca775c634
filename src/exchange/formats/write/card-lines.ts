import type { Card } from '../../../domain/card.js';
import { isSameTime, type Occurrence, ownOccurrence } from '../../../domain/occurrence.js';

export interface CardWithTimes {
  readonly card: Card;
  readonly occurrences: readonly Occurrence[];
}

/**
 * The card as one line of JSON Lines, with a line feed. Importing and exporting it again gives the same bytes. Absent fields are
 * omitted, and so are those set by the server, such as the revision.
 */
export function cardLine({ card, occurrences }: CardWithTimes): string {
  const [only] = occurrences;
  const isPlain = occurrences.length === 1 && only !== undefined && only.mergedId === null && only.merged === null;
  const times = isPlain && isSameTime(only, ownOccurrence(card)) ? [] : occurrences.map(timeOf);
  const { id, subject, grade, difficulty, questionText, studentSolutionText, goldSolutionBrief } = card;
  const { topicTags, errorTypes, qualityGrade, source, notes, occurredAt, metadata } = card;
  const said = present({
    id,
    subject,
    grade,
    difficulty,
    questionText,
    studentSolutionText,
    goldSolutionBrief,
    topicTags,
    errorTypes,
    qualityGrade,
    source,
    notes,
    occurredAt,
    metadata: metadata.map(({ key, value }) => ({ key, value })),
    occurrences: times,
  });
  return `${JSON.stringify(said)}\n`;
}

function timeOf({ occurredAt, wrongSolution, errorTypes, mergedId, merged }: Occurrence): object {
  return present({ occurredAt, wrongSolution, errorTypes, mergedId, merged: merged === null ? null : inOrder(merged) });
}

/** PostgreSQL may return the keys of a JSON object in another order. */
function inOrder(merged: object): object {
  return Object.fromEntries(Object.entries(merged).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function present(said: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(said).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
  );
}
