import type { Perspective } from './perspective.js';
import type { CardFilter, SearchOperation, SearchSubject } from './search.js';

/** What somebody said of one card as an answer to a case. */
export interface Judgement {
  readonly cardId: string;
  /** What finding it is worth, a whole number from 0 (it does not belong there) to 10: the gain of nDCG. */
  readonly grade: number;
  /** Why, in the words of whoever judged; null where nobody said. */
  readonly reason: string | null;
}

/** One question with the answers that it should get. */
export interface GoldenCase {
  /** Unique within its set. */
  readonly id: string;
  readonly operation: SearchOperation;
  readonly subject: SearchSubject;
  /** What the search is restricted to; cards that must not be answered are its `excludeCardIds`. */
  readonly filter: CardFilter;
  /** In which perspective the relevant cards are like the query; null: in several of them. */
  readonly perspective: Perspective | null;
  /** One for each judged card. A case where none has a grade above 0 waits to be judged. */
  readonly judgements: readonly Judgement[];
  /** Why these are the right answers, or where the case comes from; null where nobody said. */
  readonly reason: string | null;
}

/** A named set of cases, without them. */
export interface GoldenSet {
  readonly name: string;
  readonly description: string | null;
  readonly cases: number;
  /** Cases in which a card has a grade above 0: only these can be measured. */
  readonly judgedCases: number;
  readonly judgements: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The perspective that a search looks at; null for the one that weighs them all. */
export const PERSPECTIVE_OF: Readonly<Record<SearchOperation, Perspective | null>> = {
  similarQuestions: 'question',
  bySolution: 'solution',
  byConcept: 'concept',
  byError: 'error',
  hybridSearch: null,
};

/** What a person says of a hit that they see. */
export const RELEVANCES = ['SAME_MISTAKE', 'RELATED', 'NOT_THE_SAME', 'WRONG_LABEL'] as const;
/** One of {@link RELEVANCES}. */
export type Relevance = (typeof RELEVANCES)[number];

/**
 * The grade that each relevance stands for. A hit that was found by a wrong label does not belong there, however the label
 * came to be.
 */
export const GRADE_OF: Readonly<Record<Relevance, number>> = {
  SAME_MISTAKE: 2,
  RELATED: 1,
  NOT_THE_SAME: 0,
  WRONG_LABEL: 0,
};
