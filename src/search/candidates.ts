import type { Degradation, LayerTrial, SearchRequest } from '../domain/search.js';
import type { Admitted } from '../ports/cards.js';
import type { Fused } from './fuse.js';
import type { LaneWeights } from './lanes.js';
import { type LayerAdmission, type LayeredParts, type LayeredSearch, recallByLayers } from './layered.js';
import { withinQuota } from './quota.js';
import { recall } from './recall.js';
import type { ScoreTable } from './score-table.js';
import { type StepsTaken, stepDown } from './step-down.js';

/** What recall came to, by either strategy. */
export interface Candidates {
  readonly candidates: Admitted;
  /** Null where no layer was asked. */
  readonly admittedBy: ReadonlyMap<string, LayerAdmission> | null;
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
export interface Bounds {
  readonly request: SearchRequest;
  readonly weights: LaneWeights;
  /** The steps of a search that is not layered, descending. */
  readonly steps: readonly number[];
}

/** The rows that are alike enough and within their lane's quota, best first, and the steps that were tried. Pure. */
export function withinBounds(
  { order, scores, similarities }: Fused,
  table: ScoreTable,
  { request, weights, steps }: Bounds,
  { admittedBy, tried }: Pick<Candidates, 'admittedBy' | 'tried'>,
): StepsTaken {
  const { minScore, minResults, topK, perLane, fusion } = request;
  const rows = perLane === null ? order : withinQuota(order, table, weights, perLane);
  if (minScore !== null) {
    const compared = fusion === 'WEIGHTED' ? scores : similarities;
    return { rows: rows.filter((row) => (compared[row] as number) >= minScore), tried: [] };
  }
  if (admittedBy !== null) return { rows, tried };
  return stepDown(rows, similarities, { steps, minResults: Math.min(minResults, topK) });
}
