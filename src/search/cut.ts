import { LANES, type RecallLayer, type SearchRequest } from '../domain/search.js';
import { topK } from '../lexical/top-k.js';
import type { Fused } from './fuse.js';
import type { Labelled } from './label.js';
import type { LaneWeights } from './lanes.js';
import { type Calibration, type GateInput, hasAnswer } from './no-answer-gate.js';
import type { Query } from './query/query.js';
import type { ScoreMatrix } from './score.js';

export interface Thresholds extends Calibration {
  /** The cosine of unrelated texts, 0 .. 1: similarity counts from there. */
  readonly floor: number;
  /** Steps of the weighted score, 0 .. 1, descending: the first that enough hits reach applies, or the last. */
  readonly steps: readonly [number, number, number];
  /** Steps of each layer of a layered search, for the similarity in that layer's own lanes. */
  readonly layers: Readonly<Record<RecallLayer, readonly number[]>>;
}

const LAYER_STEPS = { STRUCTURE: [1, 0.8, 0.6], KEYWORD: [0.7, 0.5, 0.3], EXPANDED: [0.6, 0.4, 0.2] } as const;

/**
 * The last step of the built-in embedder is low because its scores are: they say how many terms two texts share, and
 * related texts may share few. A higher one cuts off what is relevant: `npm run bench -- bands` shows how much.
 *
 * The no-answer gate keeps a question about history out of a collection of mathematics. No step can: whatever the text,
 * some label is its likeliest, and the label lanes lift the cards of that label. Two unrelated texts share
 * terms and hashed features by chance: a smaller part, the longer they are, and the best of many cards shares more than
 * a single one. The score by texts is divided by what chance gives. The other signals are the score of the best label
 * profile, and how much of the text one card covers. They add up, because true answers have a little of each. `npm run
 * bench -- own-words` shows the answers that the gate costs and the filler that it leaves, `npm run bench -- bands` how
 * it treats questions from other subjects; docs/decisions/020-no-answer-gate.md has the two sums.
 *
 * The steps of the layers leave work for the next layer.
 */
const BUILTIN: Thresholds = {
  // Hashed features meet by chance only.
  floor: 0,
  steps: [0.9, 0.75, 0.11],
  layers: { SEMANTIC: [0.7, 0.5, 0.3], ...LAYER_STEPS },
  noAnswer: {
    alone: { byTexts: 0.28, byLabel: 0.5, byTerms: 0.75 },
    together: 0.1225,
    byFormulas: 0.27,
    // Its cosines are those of hashed words, which the other signals count already.
    byMeaning: Number.POSITIVE_INFINITY,
    unrelated: 0,
  },
};

/** Unless the authors of a model say otherwise: to semantic models any two texts of a school are a little alike. */
const SEMANTIC_FLOOR = 0.4;

/**
 * Customary steps for cosines above {@link SEMANTIC_FLOOR}; with another floor they keep their relative place above it.
 */
const SEMANTIC_COSINES = [0.7, 0.6, 0.5];

/**
 * For semantic models. The steps are the same for all: by default most of a score comes from terms and labels, which
 * have no floor. A last step of .4 cut off relevant cards with both models that could be measured (docs/quality.md).
 * The semantic layer compares cosines alone, so its steps move with the floor. The no-answer gate has the thresholds of
 * the built-in embedder, which hold for both models too; a cosine of the second step passes alone, as a text in other
 * words may share none.
 */
function semantic(lowestCosine: number | null): Thresholds {
  const floor = lowestCosine ?? SEMANTIC_FLOOR;
  const aboveFloor = (cosine: number): number =>
    Math.round(100 * (floor + ((1 - floor) * (cosine - SEMANTIC_FLOOR)) / (1 - SEMANTIC_FLOOR))) / 100;
  const cosines = SEMANTIC_COSINES.map(aboveFloor);
  return {
    floor,
    steps: [0.7, 0.55, 0.2],
    layers: { SEMANTIC: cosines, ...LAYER_STEPS },
    noAnswer: { ...BUILTIN.noAnswer, byMeaning: cosines[1] as number, unrelated: lowestCosine ?? 0 },
  };
}

/** By the model's name and the lowest cosine (0 .. 1) that its authors give, if any. */
export function thresholdsOf(model: string, lowestCosine: number | null = null): Thresholds {
  return model === 'builtin' ? BUILTIN : semantic(lowestCosine);
}

export interface StepDownResult {
  /** In the order given. */
  readonly rows: readonly number[];
  /** The steps that were tried, descending. */
  readonly tried: readonly number[];
}

/**
 * Threshold step-down: lowers the threshold step by step until at least `minResults` rows reach it. A row that reaches
 * none of the steps is no hit; without steps every row is. `similarities` by row. Pure.
 */
export function stepDown(
  rows: readonly number[],
  similarities: Float64Array,
  { steps, minResults }: { readonly steps: readonly number[]; readonly minResults: number },
): StepDownResult {
  if (steps.length === 0) return { rows, tried: [] };
  const tried: number[] = [];
  let reaching: readonly number[] = [];
  for (const step of steps) {
    tried.push(step);
    reaching = rows.filter((row) => (similarities[row] as number) >= step);
    if (reaching.length >= minResults) break;
  }
  return { rows: reaching, tried };
}

/** The highest of the steps that a similarity reaches; null if none. */
export function stepOf(similarity: number, steps: readonly number[]): number | null {
  return steps.find((step) => similarity >= step) ?? null;
}

/**
 * Lane quota: the rows, in order, that are among the `perLane` best of a lane with a weight above 0. Equal scores share
 * a place, a score of 0 has none. Pure.
 */
export function applyLaneQuota(
  rows: readonly number[],
  { cardIds, lanes }: ScoreMatrix,
  weights: LaneWeights,
  perLane: number,
): readonly number[] {
  const lowest = LANES.map((_, lane): number => {
    const scores = lanes[lane] ?? null;
    if (scores === null || (weights[lane] as number) <= 0) return Number.POSITIVE_INFINITY;
    const last = topK(scores, perLane, cardIds, rows)[perLane - 1];
    return last === undefined ? Number.MIN_VALUE : (scores[last] as number);
  });
  return rows.filter((row) => lanes.some((scores, lane) => (scores?.[row] ?? Number.NaN) >= (lowest[lane] as number)));
}

export interface CutInput {
  readonly request: SearchRequest;
  readonly thresholds: Thresholds;
  readonly weights: LaneWeights;
  readonly query: Query;
  readonly labelled: Labelled;
  readonly fused: Fused;
  /** The candidates with a label that the text is the name of. */
  readonly named: ReadonlySet<string>;
  readonly index: GateInput['index'];
  /** The steps by which layers chose the candidates; null if the search is not layered. */
  readonly layerSteps: readonly number[] | null;
  /** Whether `rows` are all that are admitted for any `topK`, since the first ones are chosen among them. */
  readonly admitsAll: boolean;
}

export interface Cut extends StepDownResult {
  /** The no-answer gate is closed. */
  readonly nothingClose: boolean;
  /** How many rows would be admitted for any `topK`; for a small one, `rows` may end at a higher step. */
  readonly admissible: number;
}

/**
 * Decides where the list ends: no-answer gate, lane quota, then a least score, or the threshold steps. Neither the gate
 * nor the steps of the model cut off a card with the very label that was asked for. Pure.
 */
export function cut(input: CutInput): Cut {
  const { request, thresholds, weights, query, labelled, fused, named, index, layerSteps, admitsAll } = input;
  const { minScore, thresholdSteps, minResults, topK: wanted, perLane, fusion } = request;
  const isGated = thresholdSteps === null && minScore === null && query.card === null && named.size === 0;
  if (isGated && !hasAnswer({ query, labelled, weights, index }, thresholds)) {
    return { rows: [], tried: [], nothingClose: true, admissible: 0 };
  }
  const { order, scores, similarities } = fused;
  const rows = perLane === null ? order : applyLaneQuota(order, labelled.matrix, weights, perLane);
  if (minScore !== null) {
    const compared = fusion === 'WEIGHTED' ? scores : similarities;
    const admitted = rows.filter((row) => (compared[row] as number) >= minScore);
    return { rows: admitted, tried: [], nothingClose: false, admissible: admitted.length };
  }
  if (layerSteps !== null) return { rows, tried: layerSteps, nothingClose: false, admissible: rows.length };
  const steps = thresholdSteps ?? thresholds.steps;
  const enough = admitsAll ? minResults : Math.min(minResults, wanted);
  const reaching = stepDown(rows, similarities, { steps, minResults: enough });
  const { cardIds } = labelled.matrix;
  const withNamed = (reached: readonly number[]): readonly number[] => {
    if (thresholdSteps !== null || named.size === 0) return reached;
    const kept = new Set(reached);
    return rows.filter((row) => kept.has(row) || named.has(cardIds[row] as string));
  };
  const admissible = withNamed(stepDown(rows, similarities, { steps, minResults }).rows).length;
  return { rows: withNamed(reaching.rows), tried: reaching.tried, nothingClose: false, admissible };
}
