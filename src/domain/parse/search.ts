import { z } from 'zod';
import type { ByPerspective } from '../perspective.js';
import type { SearchRequest } from '../search.js';
import { cardFilter } from './filter.js';
import { parse } from './parse.js';
import { cardId, queryText, whole } from './scalars.js';

/** Weights count by their ratios alone; a bound keeps their sum finite. */
const MAX_WEIGHT = 1_000;

const weightRange = `must be from 0 to ${MAX_WEIGHT}`;
const weight = z.number().min(0, weightRange).max(MAX_WEIGHT, weightRange).nullish();

const weights = z
  .strictObject({ question: weight, solution: weight, concept: weight, error: weight })
  .transform(
    (given): ByPerspective<number> => ({
      question: given.question ?? 0,
      solution: given.solution ?? 0,
      concept: given.concept ?? 0,
      error: given.error ?? 0,
    }),
  )
  .refine((given) => Object.values(given).some((value) => value > 0), 'must have at least one weight above 0');

const shareRange = 'must be from 0 to 1';

const share = z.number().min(0, shareRange).max(1, shareRange).nullish();

const options = z.strictObject({ minScore: share, lexicalShare: share });

const searchArgs = z
  .strictObject({
    text: queryText.nullish(),
    cardId: cardId.nullish(),
    weights: weights.nullish(),
    topK: whole(1, 50),
    filter: cardFilter.nullish(),
    options: options.nullish(),
  })
  .transform(({ text, cardId, ...rest }, context) => {
    if (text != null && cardId == null) return { subject: { kind: 'text', text } as const, ...rest };
    if (cardId != null && text == null) return { subject: { kind: 'card', cardId } as const, ...rest };
    const [field, message] =
      text == null
        ? ['text', 'is required where there is no cardId']
        : ['cardId', 'must be left out where there is a text: a search is by text or by card'];
    context.addIssue({ code: 'custom', path: [field], message });
    return z.NEVER;
  });

/** What counts where a client does not say. */
export interface SearchDefaults {
  readonly weights: ByPerspective<number>;
  readonly lexicalShare: number;
}

/**
 * The search that a client wrote as a query's arguments, complete. Of the weights that it gave, an absent one is 0.
 * BadInputError.
 */
export function parseSearch(args: unknown, defaults: SearchDefaults): SearchRequest {
  const { subject, weights, topK, filter, options } = parse(searchArgs, args, '');
  return {
    subject,
    weights: weights ?? defaults.weights,
    lexicalShare: options?.lexicalShare ?? defaults.lexicalShare,
    topK,
    filter: filter ?? {},
    minScore: options?.minScore ?? null,
  };
}

const suggestArgs = z.strictObject({ text: queryText, first: whole(1, 50) });

/** A text to suggest labels for, and how many at most: 1 .. 50. BadInputError. */
export function parseSuggest(args: unknown): { readonly text: string; readonly first: number } {
  return parse(suggestArgs, args, '');
}
