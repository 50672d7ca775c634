import type { Card } from '../domain/card.js';
import type { LaneScore, Verdict } from '../domain/search-result.js';
import { canonicalQuestion } from '../text/canonical-question.js';
import { areOpposite } from '../text/opposites.js';
import { hasOtherWord } from '../text/replaced-words.js';

export interface VerdictContext {
  /** The cosine of unrelated texts: similarity counts from there. */
  readonly floor: number;
  /**
   * Whether the questions have the same numbers: see {@link sameNumbers}. Called only if everything else is the same.
   */
  readonly sameNumbers: () => boolean;
  /** Whether a word makes them two questions: see {@link hasOtherWords}. Called as seldom as `sameNumbers`. */
  readonly hasOtherWords: () => boolean;
  /**
   * How much of the hit's question the query says, 0 .. 1: see {@link coverage}. Called only if the question is
   * similar.
   */
  readonly coverage: () => number;
  /** Which labels of the hit the text names; null for a search from a card. */
  readonly named: NamedLabels | null;
  /** The labels that the card that is searched from shares with the hit; null for a search by text. */
  readonly shared: SharedLabels | null;
}

/** Whether a text names one of the card's topic tags, and one of its error types. */
export interface NamedLabels {
  readonly concept: boolean;
  readonly error: boolean;
}

export interface SharedLabels {
  readonly concept: boolean;
  /** Null if one of the cards has no error type. */
  readonly error: boolean | null;
}

/**
 * Least similarities of the verdicts: the mean of the dense score above its floor and the lexical score. Chosen on the
 * labelled pairs of the sample collection and on its questions reworded; `test/unit/search/verdict.test.ts` has the
 * outcome.
 */
const LIMITS = {
  /** Above any two different questions of the sample; with a higher one reworded questions are missed. */
  sameQuestion: 0.72,
  /** The same wording but for numbers or names. */
  sameWording: 0.7,
  /**
   * Of the hit's question: a name or a word that the question has is no question. Reworded questions have more than
   * half of it.
   */
  coverage: 0.5,
  card: {
    /** (Nearly) all topic tags in common: a new story can change every word of the question, but not its topics. */
    sameTopics: 0.95,
    /** ... and a similar solution or error. With a higher one new stories are missed, and hardly a wrong verdict. */
    likeWork: 0.2,
    /** Coarse error types ("concept confusion") join unrelated cards: the topics must be similar too ... */
    nearTopics: 0.25,
    /** ... or the question or solution. With a lower one any two equations are the same trap. */
    nearText: 0.55,
    /** ... or the wrong solution and the description of the error: the same slip in another context. */
    likeSlip: { error: 0.5, solution: 0.35 },
    /**
     * Other words for the same topics. With a lower one tags with a common part ("word problems with ...") are the same
     * idea.
     */
    sameIdea: 0.8,
  },
  /**
   * Of a text that does not name the topic in its own words. Nothing less shows the topic: from .5 on, 5 of 8 hits of
   * `npm run bench -- verdicts` were right, from .6 on 5 of 5.
   */
  textIdea: 0.6,
} as const;

/** By perspective, 0 .. 1; without a text 0, or for errors null. */
interface Similarities {
  readonly question: number;
  readonly solution: number;
  readonly concept: number;
  readonly error: number | null;
}

/**
 * The verdict by exact lane scores, whatever the weights of the search: two cards have the same verdict in every search
 * by card without keywords and with the same `expand`.
 *
 * A card has its own text in each perspective, so perspectives can be compared. A text is either nearly a question, or
 * it names a topic or an error. What is inferred of it is no verdict: of the topics and errors that were inferred for
 * questions of other collections half were right (`npm run bench -- verdicts`). Pure.
 */
export function verdict(
  lanes: readonly Pick<LaneScore, 'kind' | 'perspective' | 'score'>[],
  context: VerdictContext,
): Verdict {
  const similarities = similaritiesOf(lanes, context.floor);
  if (similarities.question >= LIMITS.sameWording && context.coverage() >= LIMITS.coverage) {
    const isSame = similarities.question >= LIMITS.sameQuestion && context.sameNumbers() && !context.hasOtherWords();
    return isSame ? 'DUPLICATE' : 'SAME_QUESTION_NEW_SKIN';
  }
  return context.shared === null ? ofText(similarities, context.named) : ofCard(similarities, context.shared);
}

function ofCard({ question, solution, concept, error }: Similarities, shared: SharedLabels): Verdict {
  const { sameTopics, likeWork, nearTopics, nearText, likeSlip, sameIdea } = LIMITS.card;
  // A card without error types may have an error score by its wrong solution, which `solution` says already.
  const work = error === null || shared.error === null ? solution : (solution + error) / 2;
  if (shared.error !== false && concept >= sameTopics && work >= likeWork) return 'SAME_QUESTION_NEW_SKIN';
  const sameSlip = error !== null && error >= likeSlip.error && solution >= likeSlip.solution;
  const somethingElse = concept >= nearTopics || Math.max(question, solution) >= nearText || sameSlip;
  if (shared.error && somethingElse) return 'SAME_TRAP';
  return shared.concept || concept >= sameIdea ? 'SAME_IDEA' : 'RELATED';
}

function ofText({ concept }: Similarities, named: NamedLabels | null): Verdict {
  if (named?.error) return 'SAME_TRAP';
  return named?.concept || concept >= LIMITS.textIdea ? 'SAME_IDEA' : 'RELATED';
}

function similaritiesOf(lanes: Parameters<typeof verdict>[0], floor: number): Similarities {
  const scoreOf = (kind: LaneScore['kind'], perspective: LaneScore['perspective']): number | null =>
    lanes.find((lane) => lane.kind === kind && lane.perspective === perspective)?.score ?? null;
  const of = (perspective: LaneScore['perspective']): number | null => {
    const cosine = scoreOf('DENSE', perspective);
    const dense = cosine === null ? null : Math.max(0, (cosine - floor) / (1 - floor));
    const lexical = scoreOf('LEXICAL', perspective);
    return dense === null || lexical === null ? (dense ?? lexical) : (dense + lexical) / 2;
  };
  return {
    question: of('question') ?? 0,
    solution: of('solution') ?? 0,
    concept: of('concept') ?? 0,
    error: of('error'),
  };
}

export function sharedLabels(a: Labels, b: Labels): SharedLabels {
  const meet = (these: readonly string[], those: readonly string[]): boolean =>
    these.some((one) => those.includes(one));
  const bothErred = a.errorTypes.length > 0 && b.errorTypes.length > 0;
  return {
    concept: meet(a.topicTags, b.topicTags),
    error: bothErred ? meet(a.errorTypes, b.errorTypes) : null,
  };
}

/**
 * Of the terms of a text, those of a label that it names: a question may use the word `perimeter` and be about
 * something else.
 */
const LEAST_NAMED = 0.3;

/**
 * Which labels of a card a text names: all terms of one of them are in the text, or in its synonyms, and they are as
 * many as a good part of the text alone has.
 */
export function namedLabelsIn(
  { terms, synonyms }: { readonly terms: readonly string[]; readonly synonyms: readonly string[] },
  termsOf: (label: string) => readonly string[],
): (card: Labels) => NamedLabels {
  // Once for all cards: a long text has 20,000 terms.
  const known = new Set([...terms, ...synonyms]);
  const isNamed = (label: string): boolean => {
    const own = termsOf(label);
    return own.length >= LEAST_NAMED * terms.length && own.length > 0 && own.every((term) => known.has(term));
  };
  return ({ topicTags, errorTypes }) => ({ concept: topicTags.some(isNamed), error: errorTypes.some(isNamed) });
}

/** The share of the different terms of a question that are also among those of a query, 0 .. 1; 0 without any. */
export function coverage(query: readonly string[], question: readonly string[]): number {
  const said = new Set(query);
  const terms = new Set(question);
  return [...terms].filter((term) => said.has(term)).length / Math.max(1, terms.size);
}

type Labels = Pick<Card, 'topicTags' | 'errorTypes'>;

/**
 * Numbers and powers; Chinese numerals, which name parts as in 三分之一; functions, because cos A may be given and sin A
 * asked.
 */
const NUMBER = /^(?:[\d^]|[半两二三四五六七八九十百千万亿]$|(?:sin|cos|tan|cot|log|ln|lg)$)/;

/** The numbers of a question in their order, with their signs; those of options in the order of the options' texts. */
export function numbersOf(question: string): readonly string[] {
  const { exact } = canonicalQuestion(question);
  return exact.flatMap((token, at) => (NUMBER.test(token) ? [exact[at - 1] === '-' ? `-${token}` : token] : []));
}

/**
 * Whether all numbers of one question are in the other, in the same order: a source, a date or a list of options on one
 * side does not make it another question, but y = 2x + 3 and y = 3x + 2 are two.
 */
export function sameNumbers(a: readonly string[], b: readonly string[]): boolean {
  const [fewer, more] = a.length < b.length ? [a, b] : [b, a];
  let found = 0;
  for (const number of more) if (number === fewer[found]) found += 1;
  return found === fewer.length;
}

/** Whether a text and a question of similar wording ask for opposites, or for one thing in the place of another. */
export function hasOtherWords(text: string, question: string): boolean {
  return areOpposite(text, question) || hasOtherWord(canonicalQuestion(text), canonicalQuestion(question));
}
