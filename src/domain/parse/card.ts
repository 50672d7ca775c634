import { z } from 'zod';
import { type CardChange, type NewCard, QUALITY_GRADES } from '../card.js';
import { MAX_OCCURRENCES, type NewOccurrence } from '../occurrence.js';
import { type Parsed, parse, tryParse } from './parse.js';
import {
  cardId,
  difficulty,
  grade,
  instant,
  labels,
  metadata,
  optionalSource,
  optionalText,
  requiredText,
  subject,
  whole,
} from './scalars.js';
import { who } from './viewer.js';
import { withoutUndefined } from './without-undefined.js';

/** The largest revision that PostgreSQL's `integer` holds. */
const MAX_REVISION = 2 ** 31 - 1;

const optional = {
  grade: grade.nullish(),
  studentSolutionText: optionalText.nullish(),
  goldSolutionBrief: optionalText.nullish(),
  qualityGrade: z.enum(QUALITY_GRADES).nullish(),
  source: optionalSource.nullish(),
  notes: optionalText.nullish(),
};

const newCard = z.strictObject({
  id: cardId.nullish(),
  subject,
  difficulty,
  questionText: requiredText,
  topicTags: labels.nullish(),
  errorTypes: labels.nullish(),
  occurredAt: instant.nullish(),
  metadata: metadata.nullish(),
  ...optional,
});

const createdCard = newCard.extend({ owner: who.nullish() });

/** Occurrences of an exported card whose mistake was made more than once. */
const occurrences = z
  .array(
    z.strictObject({
      occurredAt: instant,
      wrongSolution: optionalText.nullish(),
      errorTypes: labels.nullish(),
      mergedId: cardId.nullish(),
      merged: z
        .strictObject({
          ...optional,
          subject,
          difficulty,
          questionText: requiredText,
          topicTags: labels,
          metadata,
        })
        .omit({ studentSolutionText: true })
        .partial()
        .transform(withoutUndefined)
        .nullish(),
    }),
  )
  .min(1, 'must not be empty: leave it out')
  .max(MAX_OCCURRENCES, `must have at most ${MAX_OCCURRENCES} entries`);

const importedCard = newCard.extend({ occurrences: occurrences.nullish() });

const cardChange = z
  .strictObject({
    subject: subject.optional(),
    difficulty: difficulty.optional(),
    questionText: requiredText.optional(),
    topicTags: labels.nullish(),
    errorTypes: labels.nullish(),
    occurredAt: instant.optional(),
    metadata: metadata.nullish(),
    ...optional,
  })
  .transform(withoutUndefined)
  .refine((change) => Object.keys(change).length > 0, 'must change at least one field');

/**
 * A card as a client or an imported row writes it, complete: what is absent is null, absent lists are empty, and a mistake
 * without a moment happened `now`. BadInputError, its field below `fieldPrefix`: `input.difficulty`.
 */
export function parseNewCard(value: unknown, fieldPrefix: string, now: Date = new Date()): NewCard {
  return complete(parse(newCard, value, fieldPrefix), now);
}

/** As {@link parseNewCard}, for a card that may be created for another owner; null: the viewer. */
export function parseCreatedCard(value: unknown, fieldPrefix: string): { card: NewCard; owner: string | null } {
  const { owner, ...card } = parse(createdCard, value, fieldPrefix);
  return { card: complete(card, new Date()), owner: owner ?? null };
}

/** A card as an imported row says it. */
export interface ImportedCard {
  readonly card: NewCard;
  /** Whether the row says when the mistake happened. */
  readonly dated: boolean;
  /** All the times that the mistake was made, where the row tells of them one by one. */
  readonly occurrences: readonly NewOccurrence[] | null;
}

/**
 * As {@link parseNewCard}, for a row of a file, which may also list every time that the mistake was made; a bad row has all of its
 * problems reported.
 */
export function parseImportedCard(value: unknown, fieldPrefix: string, now: Date): Parsed<ImportedCard> {
  const parsed = tryParse(importedCard, value, fieldPrefix);
  if ('problems' in parsed) return parsed;
  const { occurrences: times, ...card } = parsed.data;
  const data = {
    card: complete(card, now),
    dated: card.occurredAt != null,
    occurrences:
      times?.map(({ occurredAt, wrongSolution, errorTypes, mergedId, merged }) => ({
        occurredAt,
        wrongSolution: wrongSolution ?? null,
        errorTypes: errorTypes ?? [],
        mergedId: mergedId ?? null,
        merged: (merged ?? null) as NewOccurrence['merged'],
      })) ?? null,
  };
  return { data };
}

function complete(card: z.infer<typeof newCard>, now: Date): NewCard {
  return {
    id: card.id ?? null,
    subject: card.subject,
    grade: card.grade ?? null,
    difficulty: card.difficulty,
    questionText: card.questionText,
    studentSolutionText: card.studentSolutionText ?? null,
    goldSolutionBrief: card.goldSolutionBrief ?? null,
    topicTags: card.topicTags ?? [],
    errorTypes: card.errorTypes ?? [],
    qualityGrade: card.qualityGrade ?? null,
    source: card.source ?? null,
    notes: card.notes ?? null,
    occurredAt: card.occurredAt ?? now,
    metadata: card.metadata ?? [],
  };
}

/**
 * What a client wants to change: only the keys that it wrote; null clears what may be empty, a list to no entries.
 * BadInputError where null stands for what every card has, and where nothing would change.
 */
export function parseCardChange(value: unknown, fieldPrefix: string): CardChange {
  const { topicTags, errorTypes, metadata: entries, ...change } = parse(cardChange, value, fieldPrefix);
  return {
    ...change,
    ...(topicTags === undefined ? {} : { topicTags: topicTags ?? [] }),
    ...(errorTypes === undefined ? {} : { errorTypes: errorTypes ?? [] }),
    ...(entries === undefined ? {} : { metadata: entries ?? [] }),
  };
}

/** The id of a card, well-formed; whether there is such a card is for the store to say. BadInputError. */
export function parseCardId(value: unknown, field: string): string {
  return parse(cardId, value, field);
}

/** The revision that a client expects a card to have, or null where it expects none. */
export function parseExpectedRevision(value: unknown, field: string): number | null {
  return parse(whole(1, MAX_REVISION).nullish(), value, field) ?? null;
}
