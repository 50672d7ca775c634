import { type ByPerspective, PERSPECTIVES } from '../domain/perspective.js';
import { LANES, type LabelPerspective, type Lane, type SearchRequest } from '../domain/search.js';

export type LanePlan = Lane & { readonly weight: number };

/** The weight of each lane, in the order of LANES; 0 for a lane that is not asked, below 0 for one that is avoided. */
export type LaneWeights = Float64Array;

type LaneRequest = Pick<SearchRequest, 'weights' | 'lexicalShare' | 'inferredWeight' | 'expand' | 'avoid'>;

/**
 * The lanes that a request asks, with weights above 0 that sum to 1. The weight of a perspective is divided between its
 * dense and its lexical lane. The label lanes have `inferredWeight` of the whole: of it the error types as much as the
 * error perspective has of the weights, the topic tags the rest.
 */
export function lanesOf({ weights, lexicalShare, inferredWeight, expand }: LaneRequest): readonly LanePlan[] {
  const total = sumOf(weights);
  const errors = weights.error / total;
  const inferred = lexicalShare === 0 || !expand ? 0 : inferredWeight;
  const weightOf = ({ kind, perspective }: Lane): number => {
    if (kind === 'INFERRED') return inferred * (perspective === 'error' ? errors : 1 - errors);
    const share = kind === 'LEXICAL' ? lexicalShare : 1 - lexicalShare;
    return (1 - inferred) * share * (weights[perspective] / total);
  };
  return LANES.map((lane): LanePlan => ({ ...lane, weight: weightOf(lane) })).filter(({ weight }) => weight > 0);
}

/**
 * The lanes of a negative query, with weights below 0, on the scale of the weights asked for: avoiding a perspective at
 * 1 takes away as much as asking for one at 1 gives.
 */
export function avoidedLanesOf({ weights, lexicalShare, avoid }: LaneRequest): readonly LanePlan[] {
  const total = sumOf(weights);
  return LANES.map((lane): LanePlan => {
    if (lane.kind === 'INFERRED') return { ...lane, weight: 0 };
    const share = lane.kind === 'LEXICAL' ? lexicalShare : 1 - lexicalShare;
    return { ...lane, weight: -share * (avoid[lane.perspective] / total) };
  }).filter(({ weight }) => weight < 0);
}

export function sumOf(weights: ByPerspective<number>): number {
  return PERSPECTIVES.reduce((sum, perspective) => sum + weights[perspective], 0);
}

export function weightsOf(lanes: readonly LanePlan[]): LaneWeights {
  const weights = new Float64Array(LANES.length);
  for (const lane of lanes) weights[laneIndex(lane)] = lane.weight;
  return weights;
}

export function laneIndex({ kind, perspective }: Pick<Lane, 'kind' | 'perspective'>): number {
  return LANES.findIndex((lane) => lane.kind === kind && lane.perspective === perspective);
}

/** The place of the label lane of a perspective. */
export function labelLane(perspective: LabelPerspective): number {
  return laneIndex({ kind: 'INFERRED', perspective });
}

/** Whether the lane at this place compares texts, and not labels. */
export function isTextLane(lane: number): boolean {
  return LANES[lane]?.kind !== 'INFERRED';
}
