import type { RecallLayer } from '../domain/search.js';

/** How close is close enough, for one model. */
export interface Thresholds {
  /** The cosine of texts that have nothing to do with each other, 0 .. 1: likeness is counted from there. */
  readonly floor: number;
  /**
   * Least scores by the weighted fusion, 0 .. 1, descending: the first that enough hits reach is kept to, and the last where
   * none is.
   */
  readonly steps: readonly [number, number, number];
  /** Those of each layer of a layered search, on the likeness in that layer's own lanes. */
  readonly layers: Readonly<Record<RecallLayer, readonly number[]>>;
  /** What a text must have in common with the cards for anything to be answered at all; null where it is not known. */
  readonly noAnswer: NoAnswerThresholds | null;
}

/** What each kind of evidence would have to be if there were no other: see {@link passesNoAnswerGate}. */
export interface NoAnswerThresholds {
  /** The score by texts, in units of what the best of all cards has by chance. */
  readonly byTexts: number;
  /** The score of a label. */
  readonly byLabel: number;
  /** The score in one lexical lane. */
  readonly byWords: number;
}

/** What speaks for there being an answer to a text. */
export interface AnswerSignals {
  /** The best score of any candidate by its texts alone, 0 .. 1: the weighted mean of its dense and lexical lanes. */
  readonly byTexts: number;
  /** The score of the label that the text deserves most by the profiles, 0 .. 1, topic tag or error type; 0 where there is none. */
  readonly byLabel: number;
  /** The best score of any candidate in one lexical lane, 0 .. 1: how much of what the text says that one text says. */
  readonly byWords: number;
  /** How many different words and formula shapes the text is matched by. */
  readonly words: number;
  /** How many cards there are to be alike by chance. */
  readonly cards: number;
}

/**
 * The last step of the built-in embedder is low because its scores are: they say how many words two texts share, and texts
 * about the same may share few. A higher one cuts off what is relevant: `npm run bench -- bands` shows how much. Lists longer than
 * five end early where five cards are all but the same as the text.
 *
 * What keeps a question about history out of a notebook of mathematics is the evidence. Whatever the text, its most likely
 * label is believed fully, so that every search has hits of at least the inferred lanes' weight; no step can tell these from
 * hits that deserve it. Two texts that have nothing to do with each other share words and hashed features by chance, in inverse
 * proportion to the square root of their number w, and the best of n such cards is about √(2 ln n) times as good as one of them
 * (the expected maximum of n normal values): a score by texts counts in units of √(2 ln n / w). Two other signs are a label that
 * the text's words deserve, and how much of the text one card says. They add up, since true answers have a little of each: of
 * 105 texts of the sample's golden set 5 find nothing by the sum, 9 where one sign had to do; of 52 questions from
 * other worlds 2 are answered from a notebook of algebra and 1 from one of competition mathematics, by either
 * (`npm run bench -- bands`).
 *
 * The steps of the layers are chosen so that a layer leaves work for the next: `npm run bench -- quality` has a row for them.
 */
const BUILTIN: Thresholds = {
  // Hashed words meet by chance only.
  floor: 0,
  steps: [0.9, 0.75, 0.12],
  layers: { SEMANTIC: [0.7, 0.5, 0.3], STRUCTURE: [1, 0.8, 0.6], KEYWORD: [0.7, 0.5, 0.3], EXPANDED: [0.6, 0.4, 0.2] },
  noAnswer: { byTexts: 0.3, byLabel: 0.5, byWords: 0.75 },
};

/** Where the authors of a model do not say: semantic models see some likeness in any two texts of a school. */
const SEMANTIC_FLOOR = 0.4;

/** Customary cosines where that is the floor: how far above it they are is what other floors keep. */
const SEMANTIC_COSINES = [0.7, 0.6, 0.5];

/**
 * Of models whose vectors stand for the meaning of a text. The steps are customary, and the same for all: by the defaults most
 * of a score is of words and labels, which have no floor. The semantic layer compares cosines alone, and its steps move with
 * the floor. What evidence such models need is not calibrated, for want of a model to calibrate it with.
 */
function semantic(floor: number): Thresholds {
  const aboveFloor = (cosine: number): number =>
    Math.round(100 * (floor + ((1 - floor) * (cosine - SEMANTIC_FLOOR)) / (1 - SEMANTIC_FLOOR))) / 100;
  return {
    floor,
    steps: [0.7, 0.6, 0.5],
    layers: {
      SEMANTIC: SEMANTIC_COSINES.map(aboveFloor),
      STRUCTURE: [1, 0.8, 0.6],
      KEYWORD: [0.7, 0.5, 0.3],
      EXPANDED: [0.6, 0.4, 0.2],
    },
    noAnswer: null,
  };
}

/** The bands of a model, by its name and by where its authors say that its cosines begin (0 .. 1), if they do. */
export function bandsOf(model: string, lowestCosine: number | null = null): Thresholds {
  return model === 'builtin' ? BUILTIN : semantic(lowestCosine ?? SEMANTIC_FLOOR);
}

/**
 * Whether a text has more in common with the cards than any text has by chance. If not, nothing is close enough, and the
 * answer is an empty list. For searches by text alone: a card's own labels are evidence. Pure.
 */
export function passesNoAnswerGate(
  { byTexts, byLabel, byWords, words, cards }: AnswerSignals,
  { noAnswer: least }: Thresholds,
): boolean {
  if (least === null) return true;
  const bestByChance = Math.sqrt((2 * Math.log(Math.max(2, cards))) / Math.max(1, words));
  // A text of one sign that is met wholly is met.
  return byTexts / Math.min(1, least.byTexts * bestByChance) + byLabel / least.byLabel + byWords / least.byWords >= 1;
}
