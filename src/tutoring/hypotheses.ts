import type { SearchHit, SearchReceipt } from '../domain/search-result.js';
import type { ErrorHypothesis, TutoringContext } from '../domain/tutoring.js';

/** Hypotheses of a context, and example cards of each. */
const MAX_HYPOTHESES = 5;
const MAX_EXAMPLES = 3;

export interface ErrorEvidence extends Pick<TutoringContext, 'card'> {
  /** The search by error: its label model has the posteriors. */
  readonly sameError: { readonly receipt: Pick<SearchReceipt, 'inferredLabels'> };
  /** Every card that was found, the most alike first. */
  readonly found: readonly Pick<SearchHit, 'card'>[];
}

/**
 * The errors that the student may have made, the likeliest first: those of the card, else those that the label model
 * infers. Pure.
 */
export function hypothesesOf({ card, sameError, found }: ErrorEvidence): readonly ErrorHypothesis[] {
  const posteriors = new Map<string, number>();
  for (const { perspective, label, posterior } of sameError.receipt.inferredLabels) {
    if (perspective === 'error') posteriors.set(label, posterior);
  }
  for (const errorType of card?.errorTypes ?? []) posteriors.set(errorType, 1);
  return [...posteriors]
    .map(([errorType, posterior]): ErrorHypothesis => {
      const carriers = found.filter((hit) => hit.card.errorTypes.includes(errorType)).map((hit) => hit.card);
      return { errorType, posterior, votes: carriers.length, cards: carriers.slice(0, MAX_EXAMPLES) };
    })
    .filter(({ votes, errorType }) => votes > 0 || card?.errorTypes.includes(errorType))
    .sort((a, b) => b.posterior - a.posterior || b.votes - a.votes || (a.errorType < b.errorType ? -1 : 1))
    .slice(0, MAX_HYPOTHESES);
}
