import { hasSolution } from '../domain/card.js';
import type { SearchHit } from '../domain/search-result.js';
import { harmless } from './fence.js';
import { quoteSteps } from './quote.js';
import type { CountTokens } from './tokens.js';
import type { Words } from './words.js';

const MAX_EXAMPLES = 3;
const MAX_EXAMPLE_TOKENS = 350;

/**
 * Few-shot examples for prompts of other systems: question, wrong step, reference, why; of cards that have all of them.
 * In steps. Pure.
 */
export function* formattedExamples(
  hits: readonly SearchHit[],
  words: Words,
  count: CountTokens,
): Generator<void, readonly string[]> {
  const types = ['QUESTION', 'WRONG_SOLUTION', 'REFERENCE_SOLUTION', 'ERROR_TYPE'] as const;
  const complete = hits.filter(
    ({ card }) => card.studentSolutionText !== null && hasSolution(card) && card.errorTypes.length > 0,
  );
  const examples: string[] = [];
  for (const { card } of complete.slice(0, MAX_EXAMPLES)) {
    const quoted = yield* quoteSteps({ card, types, limit: MAX_EXAMPLE_TOKENS, seen: new Set(), words, count });
    const example = harmless(quoted?.text ?? '');
    // What was made harmless may be longer than it was.
    if (example !== '' && count(example) <= MAX_EXAMPLE_TOKENS) examples.push(example);
  }
  return examples;
}
