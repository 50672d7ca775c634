import type { Card } from './card.js';

/** Scope of duplicate detection: a card never becomes an occurrence of another owner's card. */
export interface Owner {
  readonly tenantId: string;
  readonly ownerId: string;
}

/** Import policy for a card whose question its owner already has. */
export const ON_DUPLICATE = ['KEEP', 'MERGE', 'REJECT'] as const;
/**
 * One of {@link ON_DUPLICATE}: both cards are kept, the new one becomes an occurrence of the other, or it is refused.
 */
export type OnDuplicate = (typeof ON_DUPLICATE)[number];

/**
 * A question in two kinds of tokens. Exact ones (numbers, signs, variables, words that reverse a question) must be
 * equal in duplicates; fuzzy ones (all other words) may differ a little.
 */
export interface CanonicalQuestion {
  /** In the order of the question; those of the options follow, in the order of their texts. */
  readonly exact: readonly string[];
  /** Pairs of neighbouring Chinese characters, and words. */
  readonly fuzzy: readonly string[];
}

/** Keys by which duplicates of a question are found. */
export interface QuestionFingerprints {
  /** The same for two questions that differ in nothing but spacing, width and invisible characters. */
  readonly key: string;
  /** MinHash bands, 32-bit integers: near-duplicates of one owner share at least one, other questions almost never. */
  readonly bands: readonly number[];
}

export type ComparedCard = Pick<
  Card,
  'tenantId' | 'ownerId' | 'id' | 'questionText' | 'choices' | 'occurrences' | 'createdAt'
>;

export interface DuplicateCluster<C extends ComparedCard = Card> {
  /**
   * Two or more of one owner; the one to merge into, which has the most occurrences and then is the oldest, comes
   * first.
   */
  readonly cards: readonly C[];
  /** True if they differ only in spacing. */
  readonly exact: boolean;
  /** The least nearness of one of them to the first, 0 .. 1. */
  readonly nearness: number;
}
