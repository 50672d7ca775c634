import type { LearnedOperation, LearnedProfile } from '../../domain/profile.js';

/** `.355` */
function figure(value: number): string {
  return value.toFixed(3).replace(/^0/, '');
}

export function describeOperation({ operation, used, heldOutQueries, byDefault, learned }: LearnedOperation): string {
  const change = (measure: 'ndcgAt10' | 'mrr'): string =>
    `${figure(byDefault[measure])} to ${figure(learned[measure])}`;
  const outcome = used ? 'used' : 'not used';
  return `${operation} ${outcome} (nDCG@10 ${change('ndcgAt10')}, MRR ${change('mrr')} on ${heldOutQueries} held-out queries)`;
}

/** The description of the profile. */
export function describeLearned({ labelledCards, operations }: LearnedProfile): string {
  const head = `Learned from ${labelledCards} labelled cards of this notebook`;
  if (operations.length === 0) return `${head}: too few share labels to learn from.`;
  return `${head}: ${operations.map(describeOperation).join('; ')}.`;
}
