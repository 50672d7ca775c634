import { createHash } from 'node:crypto';
import { distinctBy } from './grouped.js';
import type { Perspective } from './perspective.js';
import type { CardFilter, SearchOperation, SearchSubject } from './search.js';

export interface Judgement {
  readonly cardId: string;
  /** Gain of nDCG, a whole number from 0 (irrelevant) to 10. */
  readonly grade: number;
  /** Reason given by the person who judged, or null. */
  readonly reason: string | null;
}

/** A query with its relevant cards. */
export interface GoldenCase {
  /** Unique within its set. */
  readonly id: string;
  readonly operation: SearchOperation;
  readonly subject: SearchSubject;
  /** Filter of the search; cards that must not be returned are its `excludeCardIds`. */
  readonly filter: CardFilter;
  /** Perspective in which the relevant cards are similar to the query; null: several. */
  readonly perspective: Perspective | null;
  /** One for each judged card. A case without a grade above 0 still needs to be judged. */
  readonly judgements: readonly Judgement[];
  /** Why these cards are relevant, or where the case comes from; or null. */
  readonly reason: string | null;
}

/** Equal for all hits of one search, so that their judgements form one case. */
export function caseIdOf({ operation, subject, filter }: Pick<GoldenCase, 'operation' | 'subject' | 'filter'>): string {
  const restrictions = Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1));
  const asked = JSON.stringify([operation, subject.kind === 'text' ? subject.text : subject.cardId, restrictions]);
  return `${subject.kind}-${createHash('sha256').update(asked).digest('base64url').slice(0, 20)}`;
}

/** The ids of the cards that a case names, some of them more than once. */
export function cardsOf({ subject, filter, judgements }: GoldenCase): readonly string[] {
  const asked = subject.kind === 'card' ? [subject.cardId] : [];
  return [...asked, ...(filter.excludeCardIds ?? []), ...judgements.map(({ cardId }) => cardId)];
}

/**
 * A case with other cards in the place of some, by id. A card that has then several grades keeps the highest; the query
 * card has none, because it never finds itself. A judged card is not excluded in the place of another one.
 */
export function remainingCase(one: GoldenCase, remaining: ReadonlyMap<string, string>): GoldenCase {
  const idOf = (id: string): string => remaining.get(id) ?? id;
  const subject = one.subject.kind === 'card' ? { ...one.subject, cardId: idOf(one.subject.cardId) } : one.subject;
  const { excludeCardIds } = one.filter;
  const judgements = one.judgements
    .map((judgement) => ({ ...judgement, cardId: idOf(judgement.cardId) }))
    .filter(({ cardId }) => subject.kind === 'text' || cardId !== subject.cardId)
    .sort((a, b) => b.grade - a.grade);
  const judged = new Set(judgements.map(({ cardId }) => cardId));
  const excluded = excludeCardIds?.filter((id) => !remaining.has(id) || !judged.has(idOf(id))).map(idOf);
  return {
    ...one,
    subject,
    filter: excluded === undefined ? one.filter : { ...one.filter, excludeCardIds: [...new Set(excluded)] },
    judgements: distinctBy(judgements, ({ cardId }) => cardId),
  };
}

/** What a case searches for as the API, files and the database have it: either a text or a card. */
export interface WrittenSubject {
  readonly text: string | null;
  readonly cardId: string | null;
}

export function writtenSubject(subject: SearchSubject): WrittenSubject {
  return subject.kind === 'text' ? { text: subject.text, cardId: null } : { text: null, cardId: subject.cardId };
}

export interface GoldenSet {
  readonly name: string;
  readonly description: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Of a set; the last judgement of each card counts. */
export interface GoldenCounts {
  readonly cases: number;
  /** Cases with a grade above 0: only these can be measured. */
  readonly judgedCases: number;
  readonly judgements: number;
}

/** The perspective of a search; null for the one that combines all. */
export const PERSPECTIVE_OF: Readonly<Record<SearchOperation, Perspective | null>> = {
  similarQuestions: 'question',
  bySolution: 'solution',
  byConcept: 'concept',
  byError: 'error',
  hybridSearch: null,
};

/** Judgements that a person may give on a hit. */
export const RELEVANCES = ['SAME_MISTAKE', 'RELATED', 'NOT_THE_SAME', 'WRONG_LABEL'] as const;
export type Relevance = (typeof RELEVANCES)[number];

/** Grade of each judgement. A hit that was found by a wrong label is not relevant. */
export const GRADE_OF: Readonly<Record<Relevance, number>> = {
  SAME_MISTAKE: 2,
  RELATED: 1,
  NOT_THE_SAME: 0,
  WRONG_LABEL: 0,
};
