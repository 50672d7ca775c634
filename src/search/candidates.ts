import type { MatchingCards } from '../domain/ports/cards.js';
import type { Degradation, LayerTrial, SearchRequest } from '../domain/search.js';
import type { Fused } from './fuse.js';
import { applyLaneQuota } from './lane-quota.js';
import type { LaneWeights } from './lanes.js';
import { type LayeredParts, type LayeredSearch, type LayerMatch, recallByLayers } from './layered.js';
import { recall } from './recall.js';
import type { ScoreMatrix } from './score-matrix.js';
import { type StepDownResult, stepDown } from './step-down.js';

/** What recall came to, by either strategy. */
export interface Candidates {
  readonly candidates: MatchingCards;
  /** Null where no layer was asked. */
  readonly admittedBy: ReadonlyMap<string, LayerMatch> | null;
  readonly trials: readonly LayerTrial[];
  readonly tried: readonly number[];
  /** The words that the query was expanded by. */
  readonly added: readonly string[];
  readonly degraded: readonly Degradation[];
}

/** Collects candidates by the strategy that was asked for: see {@link recall} and {@link recallByLayers}. */
export async function collect(parts: LayeredParts, search: LayeredSearch, signal: AbortSignal): Promise<Candidates> {
  if (search.request.strategy === 'LAYERED') return recallByLayers(parts, search, signal);
  const recalled = await recall(parts, search, search.plan, search.query, signal);
  return { ...recalled, admittedBy: null, trials: [], tried: [], added: search.query.added };
}

/** What decides which candidates are hits. */
export interface CutRules {
  readonly request: SearchRequest;
  readonly weights: LaneWeights;
  /** The steps of a search that is not layered, descending. */
  readonly steps: readonly number[];
}

/** The rows that are alike enough and within their lane's quota, best first, and the steps that were tried. Pure. */
export function cut(
  { order, scores, similarities }: Fused,
  table: ScoreMatrix,
  { request, weights, steps }: CutRules,
  { admittedBy, tried }: Pick<Candidates, 'admittedBy' | 'tried'>,
): StepDownResult {
  const { minScore, minResults, topK, perLane, fusion } = request;
  const rows = perLane === null ? order : applyLaneQuota(order, table, weights, perLane);
  if (minScore !== null) {
    const compared = fusion === 'WEIGHTED' ? scores : similarities;
    return { rows: rows.filter((row) => (compared[row] as number) >= minScore), tried: [] };
  }
  if (admittedBy !== null) return { rows, tried };
  return stepDown(rows, similarities, { steps, minResults: Math.min(minResults, topK) });
}
