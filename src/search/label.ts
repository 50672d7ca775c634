import { LABEL_PERSPECTIVES, type LabelPerspective } from '../domain/search.js';
import { type InferredLabel } from '../domain/search-result.js';
import {
  commonPart,
  type LabelledNeighbour,
  type LabelValues,
  labelPosteriors,
  NEAREST_CARDS,
  type PosteriorRule,
  scoreWithoutLabels,
} from '../lexical/label-posterior.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import { topK } from '../lexical/top-k.js';
import { isTextLane, type LaneWeights, labelLane, laneIndex } from './lanes.js';
import type { Query } from './query/query.js';
import { rowsIn, rowsOf, type ScoreMatrix } from './score.js';
import { weightedSums } from './weighted-mean.js';

/** How many of the inferred labels a receipt names; with their posteriors, of each perspective. */
const NAMED = 5;

/** By label: 0 .. 1. */
type Posteriors = ReadonlyMap<string, number>;

/** Of the label lanes that have a weight: see {@link posteriorsOf}. */
export type LabelPosteriors = ReadonlyMap<LabelPerspective, Posteriors>;

export interface Labelled {
  /** With the label lanes. */
  readonly matrix: ScoreMatrix;
  /** The labels with the greatest posteriors, best first: see the receipt. */
  readonly inferredConcepts: readonly string[];
  readonly inferredLabels: readonly InferredLabel[];
  readonly posteriors: LabelPosteriors;
  /** `Float64Array[candidates]`: see {@link scoresByTexts}. */
  readonly byTexts: Float64Array;
}

export interface LabelOptions {
  /** By default, that of searches without a profile. */
  readonly rule?: PosteriorRule;
  /** The candidates and the cards that may vote, of those that are scored; without votes of their own, all are both. */
  readonly among?: { readonly cardIds: readonly string[]; readonly voting: ReadonlySet<string> | null };
}

/**
 * Scores the candidates in the label lanes that have a weight: by the posteriors of a card's labels given the query,
 * from the label model; 1 for a card with the very question of the query, or with all formulas of a text. Without any
 * evidence, or from a card whose labels are like those of no other one, the lane is NaN throughout. The rows of other
 * cards are left out: they only vote. Pure.
 */
export function labelCandidates(
  scored: ScoreMatrix,
  weights: LaneWeights,
  query: Pick<Query, 'labels' | 'leaveOut' | 'formula'>,
  index: LexicalIndex,
  { rule, among: { cardIds: candidates, voting } = { cardIds: [], voting: null } }: LabelOptions = {},
): Labelled {
  const allByTexts = scoresByTexts(scored, weights);
  const nearest = topK(allByTexts, NEAREST_CARDS, scored.cardIds, voting === null ? undefined : rowsOf(scored, voting));
  const areAll = voting === null || candidates.length === scored.cardIds.length;
  const matrix = areAll ? scored : rowsIn(scored, rowsOf(scored, new Set(candidates)));
  const byTexts = matrix === scored ? allByTexts : scoresByTexts(matrix, weights);
  const { cardIds } = matrix;
  const docs = index.cards.docsOf(cardIds);
  const withFormula = index.texts.lanes.question.docsWith(query.formula ?? []);
  const asksQuestion = QUESTION_LANES.every((lane) => (weights[lane] as number) > 0);
  const isSame = (lane: number, row: number): boolean => (matrix.lanes[lane]?.[row] ?? 0) >= SAME;
  const hasSameQuestion = (row: number): boolean =>
    asksQuestion && (withFormula.has(docs[row] as number) || QUESTION_LANES.every((lane) => isSame(lane, row)));
  const lanes = [...matrix.lanes];
  const inferred: InferredLabel[] = [];
  const posteriorsIn = new Map<LabelPerspective, Posteriors>();
  for (const perspective of LABEL_PERSPECTIVES) {
    const lane = labelLane(perspective);
    if (weights[lane] === 0) continue;
    const votes = nearest.map((row) => ({
      labels: index.profiles[perspective].labelsOf(scored.cardIds[row] as string),
      score: allByTexts[row] as number,
    }));
    const posteriors = posteriorsOf(perspective, { index, query, rule }, votes);
    posteriorsIn.set(perspective, posteriors);
    if (query.labels[perspective].kind === 'inferred') inferred.push(...likeliest(perspective, posteriors));
    const values = valuesOf(perspective, { index, query }, posteriors);
    const unlabelledScore = scoreWithoutLabels(votes, values);
    lanes[lane] = index.profiles[perspective].scoresByDoc(values, docs).map((value, row) => {
      if (values.posteriors.size === 0) return Number.NaN;
      if (hasSameQuestion(row)) return 1;
      if (!Number.isNaN(value)) return value;
      const score = byTexts[row] as number;
      return Number.isNaN(score) ? 0 : unlabelledScore(score);
    });
  }
  const inferredConcepts = [...inferred].sort(byPosterior).slice(0, NAMED);
  return {
    matrix: { cardIds, lanes },
    inferredConcepts: inferredConcepts.map(({ label }) => label),
    inferredLabels: inferred,
    posteriors: posteriorsIn,
    byTexts,
  };
}

function likeliest(perspective: LabelPerspective, posteriors: Posteriors): readonly InferredLabel[] {
  const labels = [...posteriors].map(([label, posterior]) => ({ perspective, label, posterior }));
  return labels.sort(byPosterior).slice(0, NAMED);
}

function byPosterior(a: InferredLabel, b: InferredLabel): number {
  return b.posterior - a.posterior || (a.label < b.label ? -1 : 1);
}

interface AskedIn {
  readonly index: LexicalIndex;
  readonly query: Pick<Query, 'labels' | 'leaveOut'>;
}

interface Asked extends AskedIn {
  readonly rule: PosteriorRule | undefined;
}

/**
 * A label whose name is like that of a likely one has this share of its posterior, times the square of the cosine of
 * the names, so that one common word (law of reflection, Ohm's law) is not enough: fine-grained labels (等差数列与等比数列,
 * 等差数列的前n项和计算) are told apart by few cards each.
 */
const LIKE_NAMED = 0.5;

/**
 * A card that has this score in both lanes has the question of the query, but for rounding: BM25 alone has it for every
 * question with all words of the query. Whatever labels it has, or none, those of no other card are likelier to be the
 * query's: without this, cards with likely labels come before one of ten cards without labels whose own question is
 * asked (docs/decisions/015-label-model.md).
 */
const SAME = 0.999;
const QUESTION_LANES = (['DENSE', 'LEXICAL'] as const).map((kind) => laneIndex({ kind, perspective: 'question' }));

/** Labels that are less likely lend nothing to others. */
const LEAST_LENDING = 0.01;

/**
 * What cards are scored by: {@link posteriorsOf}, of which labels with names like those of likely ones get a part, or
 * like those that no card but the asked one has; without the latter. None if that leaves none: then the lane says
 * nothing.
 */
export function labelValuesOf(
  perspective: LabelPerspective,
  asked: Asked,
  nearest: readonly LabelledNeighbour[],
): LabelValues {
  return valuesOf(perspective, asked, posteriorsOf(perspective, asked, nearest));
}

/**
 * The posteriors of a query's labels given the `nearest` cards; 1 for those whose name it is. Known labels have equal
 * shares of 1, so that cards with more of them score higher.
 */
export function posteriorsOf(
  perspective: LabelPerspective,
  { index, query, rule }: Asked,
  nearest: readonly LabelledNeighbour[],
): Posteriors {
  const asked = query.labels[perspective];
  if (asked.kind === 'known') return new Map(asked.labels.map((label) => [label, 1 / asked.labels.length]));
  const cardsOf = cardCounts(perspective, { index, query });
  const posteriors = labelPosteriors({ likely: asked.labels, nearest, cardsOf }, rule);
  // `present simple` is that label, although `present perfect or past simple` has its words and more cards.
  return new Map([...posteriors, ...(asked.named ?? []).map((label) => [label, 1] as const)]);
}

/** How many cards carry a label, without the one that is left out. */
function cardCounts(perspective: LabelPerspective, { index, query }: AskedIn): (label: string) => number {
  const profiles = index.profiles[perspective];
  const own = new Set(query.leaveOut === undefined ? [] : profiles.labelsOf(query.leaveOut));
  return (label) => profiles.countOf(label) - (own.has(label) ? 1 : 0);
}

/** How many cards there are, without the one that is left out. */
function cardCount({ index, query: { leaveOut } }: AskedIn): number {
  return index.size - (leaveOut !== undefined && index.cards.docOf(leaveOut) !== undefined ? 1 : 0);
}

function valuesOf(perspective: LabelPerspective, { index, query }: AskedIn, given: Posteriors): LabelValues {
  const profiles = index.profiles[perspective];
  const asked = query.labels[perspective];
  const posteriors = new Map(given);
  // Cards with a label of the asked card are what it asks for; one that no other card has leads to similar ones.
  const lends = (label: string): boolean => asked.kind === 'inferred' || asked.unshared.includes(label);
  const lending = [...given].filter(([label, posterior]) => posterior >= LEAST_LENDING && lends(label));
  const lent = profiles.names.namedLike(lending, (cosine, posterior) => LIKE_NAMED * cosine ** 2 * posterior);
  for (const [other, value] of lent) posteriors.set(other, Math.max(value, posteriors.get(other) ?? 0));
  if (asked.kind === 'known') for (const label of asked.unshared) posteriors.delete(label);
  const cardsOf = cardCounts(perspective, { index, query });
  const cards = cardCount({ index, query });
  return { posteriors, common: commonPart(posteriors, { cards, cardsOf }) };
}

/** The weighted mean of the dense and lexical lanes by row; NaN for a card without a text that was asked for. */
export function scoresByTexts({ cardIds, lanes }: ScoreMatrix, weights: LaneWeights): Float64Array {
  const isSought = (lane: number): boolean => isTextLane(lane) && (weights[lane] as number) > 0;
  const { sums, totals } = weightedSums(lanes, weights, cardIds.length, isSought);
  return sums.map((sum, row) => sum / (totals[row] as number));
}
