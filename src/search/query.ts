import { type Card, perspectiveTexts } from '../domain/card.js';
import { type ByPerspective, byPerspective } from '../domain/perspective.js';
import type { LabelPerspective, SearchRequest } from '../domain/search.js';
import { INFERRED_DEPTH, POSTERIOR_RULE, type PosteriorRule } from '../lexical/label-lane.js';
import type { InferredLabel } from '../lexical/label-profiles.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import type { QueryVectors } from './embed.js';

/** What is known of the query's labels: a card that has some is not asked what else it might be about. */
export type QueryLabels =
  | { readonly kind: 'known'; readonly labels: readonly string[] }
  | { readonly kind: 'inferred'; readonly labels: readonly InferredLabel[]; readonly rule?: PosteriorRule };

/** What each lane is asked with. */
export interface Query {
  /** The text, or the question of the card, with the keywords. */
  readonly text: string;
  /** The card that is searched from; null for a text. */
  readonly card: Card | null;
  readonly vectors: QueryVectors;
  /** What the words of each perspective are compared with; none where the query has no text there. */
  readonly features: ByPerspective<readonly string[]>;
  /** The same with what was added to it; none where nothing was. */
  readonly expanded: ByPerspective<readonly string[]>;
  /** The words that were added. */
  readonly added: readonly string[];
  readonly labels: Readonly<Record<LabelPerspective, QueryLabels>>;
}

/** Words that mean the same as some of a text. */
export interface SynonymSource {
  /** The synonyms of every word of the text that has some, in order, each once, none that the text has already. */
  of(text: string): readonly string[];
}

/** What a query is made with. */
export interface QueryParts {
  readonly index: LexicalIndex;
  readonly synonyms: SynonymSource;
}

/** A keyword counts as if the text said it twice. */
const KEYWORD_COUNT = 2;

type Words = Pick<SearchRequest, 'keywords' | 'expand'> & Partial<PosteriorRule>;

/** A text asks every perspective with the same words. */
export function queryOfText(parts: QueryParts, text: string, vectors: QueryVectors, words: Words): Query {
  const { index } = parts;
  const features = index.termsOf([text, ...repeated(words.keywords)]);
  const inferred = (perspective: LabelPerspective): QueryLabels => ({
    kind: 'inferred',
    rule: ruleOf(words),
    labels: index.infer(perspective, features, INFERRED_DEPTH),
  });
  const labels = { concept: inferred('concept'), error: inferred('error') };
  return asked(parts, { text, card: null, vectors, features: byPerspective(() => features), labels }, words);
}

/** A card asks each perspective with its own text there; labels that it lacks are inferred from its question and solutions. */
export function queryOfCard(parts: QueryParts, card: Card, vectors: QueryVectors, words: Words): Query {
  const { index } = parts;
  const texts = perspectiveTexts(card);
  const keywords = index.termsOf(repeated(words.keywords));
  const features = byPerspective((perspective) => {
    const own = index.termsOf(texts[perspective]);
    return own.length === 0 ? own : [...own, ...keywords];
  });
  const labelsOf = (perspective: LabelPerspective, labels: readonly string[]): QueryLabels => {
    if (labels.length > 0) return { kind: 'known', labels };
    const prose = [...features.question, ...features.solution];
    return { kind: 'inferred', rule: ruleOf(words), labels: index.infer(perspective, prose, INFERRED_DEPTH) };
  };
  const labels = { concept: labelsOf('concept', card.topicTags), error: labelsOf('error', card.errorTypes) };
  return asked(parts, { text: card.questionText, card, vectors, features, labels }, words);
}

/** The query in its own words alone. */
export function withoutAddedWords(query: Query): Query {
  return { ...query, expanded: byPerspective(() => []), added: [] };
}

/** The query with these words asked for beside its own, wherever it has words at all; words that it has are not added. */
export function withWords(index: LexicalIndex, query: Query, words: readonly string[]): Query {
  const added = [...new Set([...query.added, ...words])].filter((word) => !query.text.includes(word));
  const more = index.termsOf(added);
  const expanded = byPerspective((perspective) => {
    const own = query.features[perspective];
    return own.length === 0 || more.length === 0 ? [] : [...own, ...more];
  });
  return { ...query, expanded, added };
}

function ruleOf({ profilePower, voteShare }: Partial<PosteriorRule>): PosteriorRule {
  return {
    profilePower: profilePower ?? POSTERIOR_RULE.profilePower,
    voteShare: voteShare ?? POSTERIOR_RULE.voteShare,
  };
}

function asked(
  { index, synonyms }: QueryParts,
  query: Omit<Query, 'expanded' | 'added'>,
  { keywords, expand }: Words,
): Query {
  const text = [query.text, ...keywords].join(' ');
  const bare: Query = { ...query, text, expanded: byPerspective(() => []), added: [] };
  return expand ? withWords(index, bare, synonyms.of(text)) : bare;
}

function repeated(keywords: readonly string[]): readonly string[] {
  return Array.from({ length: KEYWORD_COUNT }, () => keywords).flat();
}
