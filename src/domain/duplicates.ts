import type { Card } from './card.js';

/** Whose cards are looked through for doubles: nobody's card becomes an occurrence of somebody else's. */
export interface Owner {
  readonly tenantId: string;
  readonly ownerId: string;
}

/** What becomes of a card whose question its owner has already. */
export const ON_DUPLICATE = ['KEEP', 'MERGE', 'REJECT'] as const;
/** One of {@link ON_DUPLICATE}: both cards are kept, the new one becomes an occurrence of the other, or it is refused. */
export type OnDuplicate = (typeof ON_DUPLICATE)[number];

/**
 * What a question says, in two kinds of parts. The firm ones (numbers, signs, variables, words that turn a question round) make
 * it this question and no other; the loose ones (all other words) may differ a little where somebody typed it again.
 */
export interface CanonicalQuestion {
  /** In the order of the question; those of the options follow, in the order of their texts. */
  readonly firm: readonly string[];
  /** Pairs of neighbouring Chinese characters, and words. */
  readonly loose: readonly string[];
}

/** What the doubles of a question are found by. */
export interface QuestionFingerprints {
  /** The same for two questions that differ in nothing but spacing, width and invisible characters. */
  readonly key: string;
  /** 32-bit integers: questions of one owner that are nearly alike share at least one, others nearly never. */
  readonly bands: readonly number[];
}

/** What is compared of a card. */
export type ComparedCard = Pick<Card, 'tenantId' | 'ownerId' | 'id' | 'questionText' | 'occurrences' | 'createdAt'>;

/** Cards that are taken for the same question. */
export interface DuplicateCluster<C extends ComparedCard = Card> {
  /** Two or more of one owner; the one to merge into, which has the most occurrences and then is the oldest, comes first. */
  readonly cards: readonly C[];
  /** True where they differ in nothing but spacing. */
  readonly exact: boolean;
  /** The least nearness of one of them to the first, 0 .. 1. */
  readonly nearness: number;
}
