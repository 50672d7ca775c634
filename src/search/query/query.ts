import { type Card, perspectiveTexts, questionOf } from '../../domain/card.js';
import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../../domain/perspective.js';
import type { LabelPerspective, SearchOperation, SearchRequest } from '../../domain/search.js';
import { type LikelyLabel, PROFILE_DEPTH } from '../../lexical/label-posterior.js';
import type { LexicalIndex } from '../../lexical/lexical-index.js';
import { contentTerms, formulaOf } from '../../lexical/terms.js';

/** One vector for a text, one for each passage of a card, none without a text. */
export type QueryVectors = ByPerspective<readonly Float32Array[]>;

/**
 * The labels of a query: those of the card that is searched from, of which no other card has the `unshared` ones; or
 * the likely ones by the label profiles. Then `mentioned` is whether the query contains another name of a label, from
 * its synonym group or a narrower one, and `named` are the labels that the text is the name of as a whole.
 */
export type QueryLabels =
  | { readonly kind: 'known'; readonly labels: readonly string[]; readonly unshared: readonly string[] }
  | {
      readonly kind: 'inferred';
      readonly labels: readonly LikelyLabel[];
      readonly mentioned: boolean;
      readonly named?: readonly string[];
    };

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
  /** The words of the expansion. */
  readonly added: readonly string[];
  readonly labels: Readonly<Record<LabelPerspective, QueryLabels>>;
}

export interface SynonymSource {
  /** The synonyms of the words of a text, in order, each once, none that is in the text already. */
  of(text: string): readonly string[];
}

export interface QuerySynonyms extends SynonymSource {
  /** The names in the text that {@link SynonymSource.of} finds others of. */
  said(text: string): readonly string[];
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
const DESCRIPTION_TERMS = 16;

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
  const termsOf = (names: Iterable<string>): readonly (readonly string[])[] =>
    Array.from(names, (name) => index.termsOf([name]));
  const names: Names = { said: termsOf(synonyms.said(text)), added: termsOf(added) };
  yield;
  const of = (perspective: LabelPerspective): QueryLabels =>
    withNamed(own.labels[perspective], names, own.terms.question, (name) =>
      index.profiles[perspective].rank(name, PROFILE_DEPTH, query.leaveOut),
    );
  return expandedBy(index, { ...own, labels: { concept: of('concept'), error: of('error') } }, added);
}

/** The terms of each name of the synonym groups that a text names. */
interface Names {
  /** Of names in the text. */
  readonly said: readonly (readonly string[])[];
  readonly added: readonly (readonly string[])[];
}

/**
 * A synonym is worth less than the name in the text, and both the less the longer the text is: six words may be a name,
 * of sixty one name is a small part. Of the 30 questions in the other language (`npm run bench -- own-words`) six more
 * find their card.
 */
const NAMED = { said: 0.8, synonym: 0.65, terms: 6 } as const;

/** Above this share of its terms, a label's name is there as a whole: shares are rounded. */
export const WHOLE = 0.999;

/** The labels inferred from the text, and those that one of its names, or a synonym of it, names alone. */
function withNamed(
  inferred: QueryLabels,
  { said, added }: Names,
  terms: readonly string[],
  likelyLabels: (name: readonly string[]) => readonly LikelyLabel[],
): QueryLabels {
  if (inferred.kind === 'known' || added.length === 0) return inferred;
  const share = Math.min(1, NAMED.terms / Math.max(1, new Set(terms).size));
  const best = new Map(inferred.labels.map((likely) => [likely.label, likely]));
  let mentioned = false;
  const add = (name: readonly string[], factor: number): void => {
    for (const likely of likelyLabels(name)) {
      mentioned ||= likely.named > WHOLE;
      const known = best.get(likely.label);
      const score = Math.max(known?.score ?? 0, factor * likely.score);
      best.set(likely.label, { ...likely, score, named: Math.max(known?.named ?? 0, factor * likely.named) });
    }
  };
  for (const name of said) add(name, NAMED.said * share);
  for (const name of added) add(name, NAMED.synonym * share);
  const labels = [...best.values()].sort((a, b) => b.score - a.score || (a.label < b.label ? -1 : 1));
  return { ...inferred, mentioned, labels: labels.slice(0, PROFILE_DEPTH) };
}

function repeated(keywords: readonly string[]): readonly string[] {
  return Array.from({ length: KEYWORD_COUNT }, () => keywords).flat();
}
