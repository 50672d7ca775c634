import { hasSolution } from '../domain/card.js';
import type { SearchHit } from '../domain/search-result.js';
import { harmless } from './fence.js';
import { quote } from './quote.js';
import type { CountTokens } from './tokens.js';
import type { Words } from './words.js';

/** Examples of a context, and the tokens of one. */
const MAX_EXAMPLES = 3;
const MAX_EXAMPLE_TOKENS = 350;

/**
 * Few-shot examples for prompts of other systems: question, wrong step, reference, why; of cards that have all of them.
 * Pure.
 */
export function formattedExamples(hits: readonly SearchHit[], words: Words, count: CountTokens): readonly string[] {
  const types = ['QUESTION', 'WRONG_SOLUTION', 'REFERENCE_SOLUTION', 'ERROR_TYPE'] as const;
  return hits
    .filter(({ card }) => card.studentSolutionText !== null && hasSolution(card) && card.errorTypes.length > 0)
    .slice(0, MAX_EXAMPLES)
    .flatMap(({ card }) => {
      const quoted = quote({ card, types, limit: MAX_EXAMPLE_TOKENS, seen: new Set(), words, count });
      const example = harmless(quoted?.text ?? '');
      // What was made harmless may be longer than it was.
      return example === '' || count(example) > MAX_EXAMPLE_TOKENS ? [] : [example];
    });
}
