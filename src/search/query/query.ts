import { type Card, perspectiveTexts, questionOf } from '../../domain/card.js';
import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../../domain/perspective.js';
import type { LabelPerspective, SearchOperation, SearchRequest } from '../../domain/search.js';
import { PROFILE_DEPTH } from '../../lexical/label-posterior.js';
import type { LexicalIndex } from '../../lexical/lexical-index.js';
import { contentTerms, formulaOf } from '../../lexical/terms.js';
import { namesOf, type QueryLabels, type QuerySynonyms, withNamed } from './named-labels.js';

/** One vector for a text, one for each passage of a card, none without a text. */
export type QueryVectors = ByPerspective<readonly Float32Array[]>;

export interface Query {
  /** The text with its spelling corrected, or the question of the card, with the keywords. */
  readonly text: string;
  /** The card that is searched from; null for a text. */
  readonly card: Card | null;
  /** The id of a card that label profiles and counts of labels leave out. */
  readonly leaveOut?: string | undefined;
  /** The perspective whose lexical lane also compares the text with all texts of a card as one; null: none. */
  readonly combined: Perspective | null;
  readonly vectors: QueryVectors;
  /** None if the query has no text in a perspective. */
  readonly terms: ByPerspective<readonly string[]>;
  /** The same with the terms of the expansion; none without one. */
  readonly expanded: ByPerspective<readonly string[]>;
  /** The terms of a text's formulas, by {@link formulaOf}; a card as query has none. */
  readonly formula?: readonly string[];
  /** Whether a text is the name of a known term as a whole, by the synonyms; only with an expansion. */
  readonly isName?: boolean;
  /** The words of the expansion. */
  readonly added: readonly string[];
  readonly labels: Readonly<Record<LabelPerspective, QueryLabels>>;
}

export interface QueryParts {
  readonly index: Pick<LexicalIndex, 'cards' | 'termsOf' | 'termSteps' | 'profiles'>;
  readonly synonyms: QuerySynonyms;
}

export interface TextQueryParts extends QueryParts {
  /** See {@link Query.leaveOut}. */
  readonly leaveOut?: string | undefined;
  /** The labels that a text is the name of. */
  readonly named?: Readonly<Record<LabelPerspective, readonly string[]>>;
  /** Decides about {@link Query.combined}; none without it. */
  readonly asked?: Asked;
}

type Asked = Pick<SearchRequest, 'operation' | 'avoid'>;

/**
 * By search: the perspective whose lexical lane also compares a text with all texts of a card as one. Searches by
 * questions or by solutions are for these texts alone.
 */
const COMBINED: Readonly<Record<SearchOperation, Perspective | null>> = {
  similarQuestions: null,
  bySolution: null,
  byConcept: 'concept',
  byError: 'error',
  hybridSearch: 'question',
};

/**
 * A text of more different terms does not describe an error, but is a question with a wrong answer, which is compared
 * with other attempts alone. Of 251 descriptions in six notebooks 3 are longer, of 185 attempts of the public sets 162
 * (docs/decisions/015-label-model.md has the figures with and without).
 */
export const DESCRIPTION_TERMS = 16;

function combinedLane({ operation, avoid }: Asked, terms: readonly string[]): Perspective | null {
  const perspective = COMBINED[operation];
  // A card whose question is to be another one must not be avoided for its labels.
  if (perspective === null || avoid[perspective] > 0) return null;
  return perspective === 'error' && new Set(contentTerms(terms)).size > DESCRIPTION_TERMS ? null : perspective;
}

/** A keyword counts as if the text had it twice. */
const KEYWORD_COUNT = 2;

type Words = Pick<SearchRequest, 'keywords' | 'expand'>;

/** A text has the same terms in every perspective. In steps, as {@link cardQuerySteps}. */
export function* textQuerySteps(
  parts: TextQueryParts,
  text: string,
  vectors: QueryVectors,
  words: Words,
): Generator<void, Query> {
  const { index, leaveOut, named, asked } = parts;
  const terms = index.termsOf([text, ...repeated(words.keywords)]);
  yield;
  function* inferred(perspective: LabelPerspective): Generator<void, QueryLabels> {
    const likely = index.profiles[perspective].rank(terms, PROFILE_DEPTH, leaveOut);
    yield;
    return { kind: 'inferred', labels: likely, mentioned: false, named: named?.[perspective] ?? [] };
  }
  const labels = { concept: yield* inferred('concept'), error: yield* inferred('error') };
  const combined = asked === undefined ? null : combinedLane(asked, terms);
  const given = { text, card: null, leaveOut, combined, formula: formulaOf(terms), vectors, labels };
  return yield* completedSteps(parts, { ...given, terms: byPerspective(() => terms) }, words);
}

/**
 * A card has its own text in each perspective; labels that it lacks are inferred from its question and solutions. In
 * steps: reading texts of 16 KB and looking for names of labels in them takes a tenth of a second.
 */
export function* cardQuerySteps(
  parts: QueryParts,
  card: Card,
  vectors: QueryVectors,
  words: Words,
): Generator<void, Query> {
  const { index } = parts;
  const texts = perspectiveTexts(card);
  const keywords = index.termsOf(repeated(words.keywords));
  const termsIn = new Map<Perspective, readonly string[]>();
  for (const perspective of PERSPECTIVES) {
    yield;
    const own = yield* index.termSteps(texts[perspective]);
    termsIn.set(perspective, own.length === 0 ? own : [...own, ...keywords]);
  }
  const terms = byPerspective((perspective) => termsIn.get(perspective) ?? []);
  yield;
  function* labelsOf(perspective: LabelPerspective, labels: readonly string[]): Generator<void, QueryLabels> {
    if (labels.length > 0) {
      const own = index.cards.docOf(card.id);
      const isUnshared = (label: string): boolean =>
        index.profiles[perspective].docsOf(label).every((doc) => doc === own);
      return { kind: 'known', labels, unshared: labels.filter(isUnshared) };
    }
    yield;
    const prose = [...terms.question, ...terms.solution];
    return { kind: 'inferred', labels: index.profiles[perspective].rank(prose, PROFILE_DEPTH), mentioned: false };
  }
  const labels = {
    concept: yield* labelsOf('concept', card.topicTags),
    error: yield* labelsOf('error', card.errorTypes),
  };
  yield;
  return yield* completedSteps(parts, { text: questionOf(card), card, combined: null, vectors, terms, labels }, words);
}

/** The query of another search by the same text or card. */
export function queryOf(asked: Asked, query: Query): Query {
  return query.card === null ? { ...query, combined: combinedLane(asked, query.terms.question) } : query;
}

export function withoutExpansion(query: Query): Query {
  return { ...query, expanded: byPerspective(() => []), added: [] };
}

/** The query expanded by words, in the perspectives in which it has terms; words of its text are not added. */
export function expandedBy(index: Pick<LexicalIndex, 'termsOf'>, query: Query, words: readonly string[]): Query {
  const added = [...new Set([...query.added, ...words])].filter((word) => !query.text.includes(word));
  const more = index.termsOf(added);
  const expanded = byPerspective((perspective) => {
    const own = query.terms[perspective];
    return own.length === 0 || more.length === 0 ? [] : [...own, ...more];
  });
  return { ...query, expanded, added };
}

function* completedSteps(
  { index, synonyms }: QueryParts,
  query: Omit<Query, 'expanded' | 'added'>,
  { keywords, expand }: Words,
): Generator<void, Query> {
  const text = [query.text, ...keywords].join(' ');
  const own: Query = { ...query, text, expanded: byPerspective(() => []), added: [] };
  if (!expand) return own;
  const added = synonyms.of(text);
  yield;
  const names = namesOf(index, { written: text, terms: own.terms.question }, synonyms.said(text), added);
  yield;
  const of = (perspective: LabelPerspective): QueryLabels =>
    withNamed(own.labels[perspective], names, perspective, { index, leaveOut: query.leaveOut });
  const labels = { concept: of('concept'), error: of('error') };
  return expandedBy(index, { ...own, labels, isName: names.isName }, added);
}

function repeated(keywords: readonly string[]): readonly string[] {
  return Array.from({ length: KEYWORD_COUNT }, () => keywords).flat();
}
