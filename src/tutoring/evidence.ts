import { type Card, hasSolution } from '../domain/card.js';
import type { Language } from '../domain/language.js';
import type { SearchHit, SearchReceipt } from '../domain/search-result.js';
import type { ErrorHypothesis, EvidenceVerdict, TutoringContext } from '../domain/tutoring.js';

export interface Evidence extends Pick<TutoringContext, 'card'> {
  /** Of the search that the mode stands on, best first: none where the no-answer gate is closed. */
  readonly hits: readonly Pick<SearchHit, 'score' | 'verdict' | 'card'>[];
  readonly search: keyof typeof NEAR;
}

/**
 * From the first score on a hit is near enough to explain from, if there are two of them; from the second on one alone
 * is. A hit that has the question, the error or the topic by its verdict is near at any score. Chosen on the `train-`
 * descriptions of the sample (`npm run bench -- evidence`): of 25 without an answer none gets ENOUGH for DIAGNOSE.
 */
const NEAR = {
  byError: { two: 0.66, one: 0.73 },
  hybridSearch: { two: 0.61, one: 0.7 },
} as const;

/** Pure. Agrees with the search: a text without hits has no evidence. */
export function evidenceOf({ hits, search, card }: Evidence): {
  readonly verdict: EvidenceVerdict;
  readonly why: EvidenceReason;
} {
  const near = hits.filter(({ score, verdict }) => verdict !== 'RELATED' || score >= NEAR[search].two).length;
  const facts = { hits: hits.length, near };
  if (card != null && hasSolution(card)) return { verdict: 'ENOUGH', why: { kind: 'reference', ...facts } };
  const same = hits.some(
    ({ verdict, card: found }) =>
      (verdict === 'DUPLICATE' || verdict === 'SAME_QUESTION_NEW_SKIN') && hasSolution(found),
  );
  if (same) return { verdict: 'ENOUGH', why: { kind: 'same question', ...facts } };
  if (near >= 2 || hits.some(({ score }) => score >= NEAR[search].one))
    return { verdict: 'ENOUGH', why: { kind: 'near', ...facts } };
  if (hits.length > 0) return { verdict: 'THIN', why: { kind: 'few', ...facts } };
  if (card === null) return { verdict: 'NONE', why: { kind: 'nothing', ...facts } };
  return { verdict: isSource(card) ? 'THIN' : 'NONE', why: { kind: 'alone', ...facts } };
}

/** Whether a card without a reference solution has more to quote than its question, which the prompt has anyway. */
function isSource({ studentSolutionText, topicTags, errorTypes }: Card): boolean {
  return studentSolutionText !== null || topicTags.length > 0 || errorTypes.length > 0;
}

export interface EvidenceReason {
  readonly kind: 'reference' | 'same question' | 'near' | 'few' | 'alone' | 'nothing';
  readonly hits: number;
  readonly near: number;
}

export function reasonText({ kind, hits, near }: EvidenceReason, language: Language): string {
  return (language === 'zh' ? ZH : EN)[kind](hits, near);
}

type Sentences = Readonly<Record<EvidenceReason['kind'], (hits: number, near: number) => string>>;

const EN: Sentences = {
  reference: (hits) => `The card has a reference solution; ${count(hits, 'other card')} found.`,
  'same question': (hits) => `A card with the same question has a reference solution; ${count(hits, 'card')} found.`,
  near: (hits, near) =>
    hits === 1 ? '1 closely related card found.' : `${count(hits, 'card')} found, ${near} closely related.`,
  few(hits, near) {
    if (hits === 1)
      return near === 0 ? 'Only 1 card found, not closely related.' : 'Only 1 closely related card found.';
    return `${count(hits, 'card')} found, ${near === 0 ? 'none' : 'only one'} closely related.`;
  },
  alone: () => 'The card has no reference solution, and no other card is like it.',
  nothing: () => 'No card has anything to do with the question.',
};

const ZH: Sentences = {
  reference: (hits) => `这张卡片有参考解法；另找到 ${hits} 张卡片。`,
  'same question': (hits) => `有同一道题的卡片带参考解法；共找到 ${hits} 张卡片。`,
  near: (hits, near) => (hits === 1 ? '找到 1 张密切相关的卡片。' : `找到的 ${hits} 张卡片中有 ${near} 张密切相关。`),
  few(hits, near) {
    if (hits === 1) return near === 0 ? '只找到 1 张卡片，而且并不密切相关。' : '只找到 1 张密切相关的卡片。';
    return `找到 ${hits} 张卡片，${near === 0 ? '都不' : '其中只有 1 张'}密切相关。`;
  },
  alone: () => '这张卡片没有参考解法，也没有与它相似的卡片。',
  nothing: () => '没有与问题有关的卡片。',
};

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** Hypotheses of a context, and example cards of each. */
const MAX_HYPOTHESES = 5;
const MAX_EXAMPLES = 3;

interface ErrorEvidence extends Pick<TutoringContext, 'card'> {
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
