import { LABEL_PERSPECTIVES, LANES, type LaneKind } from '../domain/search.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import { contentTerms, isFormulaTerm, isShape } from '../lexical/terms.js';
import { type Labelled, scoresByTexts } from './label.js';
import { type LaneWeights, labelLane } from './lanes.js';
import { WHOLE } from './query/named-labels.js';
import type { Query } from './query/query.js';

/** Thresholds of the no-answer gate. */
export interface NoAnswerThresholds {
  /**
   * The value of each signal that passes alone, if the text needs 1; of texts, in units of what the best of all cards
   * scores by chance.
   */
  readonly alone: Readonly<Record<'byTexts' | 'byLabel' | 'byTerms', number>>;
  /** Of texts and the best label together: this × ln n / terms ** {@link LENGTH_POWER} in a notebook of n cards. */
  readonly together: number;
  /** Share of the text's formulas that one question must cover. */
  readonly byFormulas: number;
  /** Cosine in one dense lane that passes alone, whatever the words are; above 1 if none does. */
  readonly byMeaning: number;
  /** Cosine, 0 .. 1, from which scores by texts count: of unrelated texts, if the model's authors give one, or 0. */
  readonly unrelated: number;
}

export interface AnswerSignals {
  /** The best score of any candidate by its texts alone, 0 .. 1: the weighted mean of its dense and lexical lanes. */
  readonly byTexts: number;
  /** The best score of any label profile, 0 .. 1. */
  readonly byLabel: number;
  /** The best score of any candidate in one lexical lane, 0 .. 1. */
  readonly byTerms: number;
  /** How many different terms the text has. */
  readonly terms: number;
  /** Whether it is compared as the description of an error with all texts of a card; by default not. */
  readonly describesError?: boolean;
  /** Whether it has three words or more, or two of a known name, of which no card has two; by default not. */
  readonly sharesOneWord?: boolean;
  readonly cards: number;
}

export interface Calibration {
  readonly noAnswer: NoAnswerThresholds;
}

/** Fitted. With .5, that of independent terms, two more of 68 descriptions of errors find nothing (by hand). */
const LENGTH_POWER = 0.45;

/**
 * A text of more terms needs less of the sums, this / terms: a long text without an answer is rare, and a question
 * shares a small part of its words with others of its topic (docs/decisions/020-no-answer-gate.md).
 */
const SHORT_TERMS = 9;

/** A text of one or two terms needs this: a card that has one of two words has half of the text. */
const ENOUGH_OF_FEW = 1.3;

/**
 * A text of three words or more needs this times as much if no card has two of them, or of other names of what they
 * name: then all signals are those of one word (turn down the *volume*, *chain* of islands).
 */
const ENOUGH_OF_ONE_WORD = 1.2;
const SEVERAL_WORDS = 3;

/** In the name of a known term (prime number, solar system), whose other names the cards may have: so many words. */
const WORDS_OF_NAME = 2;

/** A description of an error needs this times as much: some card has a few of its general words by chance. */
const ENOUGH_OF_ERROR = 1.2;

/**
 * Whether a text has more in common with the cards than any text has by chance: one of two sums of the signals must
 * reach 1, or more for a text of one or two terms, less for one of many. The first has all three; the second, of texts
 * and labels, passes a text that shares few terms with a small notebook (docs/decisions/020-no-answer-gate.md). Pure.
 */
export function passesNoAnswerGate(
  { byTexts, byLabel, byTerms, terms, describesError = false, sharesOneWord = false, cards }: AnswerSignals,
  { noAnswer }: Calibration,
): boolean {
  const { alone, together } = noAnswer;
  const ofLength = terms === 1 || terms === 2 ? ENOUGH_OF_FEW : Math.min(1, SHORT_TERMS / Math.max(1, terms));
  const ofMatches = (describesError ? ENOUGH_OF_ERROR : 1) * (sharesOneWord ? ENOUGH_OF_ONE_WORD : 1);
  const enough = ofMatches * ofLength;
  const [length, size] = [Math.max(1, terms), Math.log(Math.max(2, cards))];
  // At most 1: a text of one term can pass, however many cards there are.
  const least = Math.min(1, alone.byTexts * Math.sqrt((2 * size) / length));
  if (byTexts / least + byLabel / alone.byLabel + byTerms / alone.byTerms >= enough) return true;
  const chance = (together * size) / length ** LENGTH_POWER;
  return byTexts / Math.min(1, chance) + byLabel / Math.min(alone.byLabel, chance) >= enough;
}

type Index = Pick<LexicalIndex, 'cards' | 'profiles' | 'texts' | 'size'>;

export interface GateInput {
  readonly query: Pick<Query, 'terms' | 'expanded' | 'labels' | 'text' | 'combined' | 'isName'>;
  readonly labelled: Pick<Labelled, 'matrix' | 'byTexts'>;
  readonly weights: LaneWeights;
  readonly index: Index;
}

/**
 * Whether a query by text passes the gate, or one card has a cosine that suffices alone, or covers its formulas: what
 * is said around a short formula (帮我算一下 403-158) has more terms than it, and few that a card has. Of the 48
 * shortest questions of the sample, 10 found nothing within the longest of such talk.
 */
export function hasAnswer(input: GateInput, thresholds: Calibration): boolean {
  const { byMeaning, byFormulas } = thresholds.noAnswer;
  return (
    mentionsLabel(input.query, input.weights) ||
    passesNoAnswerGate(answerSignals(input, thresholds), thresholds) ||
    bestIn('DENSE', input) >= byMeaning ||
    shareOfFormulas(input) >= byFormulas
  );
}

function answerSignals(input: GateInput, { noAnswer }: Calibration): AnswerSignals {
  const { query, index } = input;
  const { terms, labels } = query;
  const byLabel = LABEL_PERSPECTIVES.flatMap((perspective) => {
    const asked = labels[perspective];
    return asked.kind === 'inferred' ? asked.labels.map(({ score }) => score) : [];
  });
  const distinct = new Set(contentTerms(terms.question)).size;
  return {
    byTexts: bestByTexts(input, noAnswer.unrelated),
    byLabel: Math.max(0, ...byLabel),
    byTerms: bestIn('LEXICAL', input),
    terms: distinct,
    describesError: query.combined === 'error',
    sharesOneWord: sharesOneWord(query, index),
    cards: index.size,
  };
}

/** The best score of any candidate by its texts alone, with cosines counted from that of unrelated texts. */
function bestByTexts({ labelled: { matrix, byTexts }, weights }: GateInput, unrelated: number): number {
  if (unrelated === 0) return best(byTexts);
  const lanes = matrix.lanes.map((scores, lane) =>
    scores !== null && LANES[lane]?.kind === 'DENSE'
      ? scores.map((cosine) => Math.max(0, (cosine - unrelated) / (1 - unrelated)))
      : scores,
  );
  return best(scoresByTexts({ ...matrix, lanes }, weights));
}

/** The best score of any candidate in one lane of this kind that has a weight; 0 without any. */
function bestIn(kind: LaneKind, { labelled: { matrix }, weights }: GateInput): number {
  const asked = matrix.lanes.filter((_, lane) => LANES[lane]?.kind === kind && (weights[lane] as number) > 0);
  return Math.max(0, ...asked.map((scores) => best(scores ?? [])));
}

/** NaN is no score. */
function best(scores: Iterable<number>): number {
  let most = 0;
  for (const score of scores) if (score > most) most = score;
  return most;
}

function sharesOneWord({ terms, expanded, isName = false }: GateInput['query'], { texts }: Index): boolean {
  if (wordsOf(terms.question).size < (isName ? WORDS_OF_NAME : SEVERAL_WORDS)) return false;
  return !texts.someHasTwoOf(wordsOf([...terms.question, ...expanded.question]));
}

function wordsOf(terms: readonly string[]): ReadonlySet<string> {
  return new Set(contentTerms(terms).filter((term) => !isFormulaTerm(term)));
}

/** 0 .. 1: how much of the formulas in the text one question covers; 0 without a formula. */
function shareOfFormulas({ query, labelled, index }: GateInput): number {
  const terms = query.terms.question.filter(isFormulaTerm);
  if (!terms.some(isShape)) return 0;
  return best(index.texts.scores('question', terms, index.cards.docsOf(labelled.matrix.cardIds)));
}

/** A text about anything may have the English word `time`, or the number of a chapter. */
const TELLING_NAME = /\p{Script=Han}{2}/u;

/** Whether the query has the Chinese name of a label of the kinds that are asked in it, or another name of one. */
function mentionsLabel({ labels, text }: Pick<Query, 'labels' | 'text'>, weights: LaneWeights): boolean {
  // Its words, and not scattered: 销售出了问题 is not 销售问题, and 气压强度 has no 压强.
  const isIn = (label: string, named: number): boolean =>
    named > WHOLE && TELLING_NAME.test(label) && text.includes(label);
  return LABEL_PERSPECTIVES.some((perspective) => {
    const asked = labels[perspective];
    if (asked.kind === 'known' || (weights[labelLane(perspective)] as number) <= 0) return false;
    return asked.mentioned || asked.labels.some(({ label, named }) => isIn(label, named));
  });
}
