import { PERSPECTIVES } from '../domain/perspective.js';
import { type CardFilter, type FilterPlan, LANES, type Lane, type SearchRequest } from '../domain/search.js';
import type { Admitted, FilterMatch } from '../ports.js';
import { INFERRED_WEIGHT } from './defaults.js';

/** One ranked source of candidates, and its say in the score: the weights of a plan's lanes, above 0, sum to 1. */
export type LanePlan = Lane & { readonly weight: number };

/** How a request will be served. */
export interface SearchPlan {
  readonly lanes: readonly LanePlan[];
  readonly filterPlan: FilterPlan;
  /** How many passages, or cards, each lane is asked for; 0 where every matching card is scored. */
  readonly depth: number;
  /** Every card that will be scored, where the filter alone decides that. */
  readonly admitted: Admitted | null;
  readonly matchedByFilter: number | null;
}

/**
 * Up to this many matches every one is scored: 2,000 cards cost about 12 ms from the vector cache, less than Chroma takes
 * for the thousand neighbours that such a filter would have to be fished out of.
 */
export const EXACT_LIMIT = 2_000;

/** Neighbours a lane brings: at 30,000 records Chroma takes 5 ms for 100, 10 ms for 500, 15-19 ms for 1,000. */
const DEPTH = 100;
const DEEPEST = 1_000;

/** Spare neighbours for each hit wanted: a card that is good in all lanes need not lead in one. */
const SPARE = 4;

/** Decides how to serve a request, from what the filter lets through; `match` is null where there is no filter. Pure. */
export function plan(request: SearchRequest, match: FilterMatch | null): SearchPlan {
  const lanes = lanesOf(request);
  const depth = Math.max(DEPTH, SPARE * request.topK);
  if (match === null) return { lanes, filterPlan: 'none', depth, admitted: null, matchedByFilter: null };
  if (match.all !== null) {
    return { lanes, filterPlan: 'exact', depth: 0, admitted: match.all, matchedByFilter: match.matched };
  }
  const selectivity = match.matched / match.total;
  return {
    lanes,
    filterPlan: 'overfetch',
    depth: Math.min(DEEPEST, Math.ceil(depth / selectivity)),
    admitted: null,
    matchedByFilter: match.matched,
  };
}

/** Whether a filter restricts anything. */
export function restricts(filter: CardFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

/**
 * Each perspective's weight is divided between its vectors and its words. The inferred lanes have a share of the whole: error
 * types as much of it as the error perspective has of the weights, topic tags the rest.
 */
function lanesOf({ weights, lexicalShare }: SearchRequest): readonly LanePlan[] {
  const total = PERSPECTIVES.reduce((sum, perspective) => sum + weights[perspective], 0);
  const errors = weights.error / total;
  const inferred = lexicalShare === 0 ? 0 : INFERRED_WEIGHT;
  const weightOf = ({ kind, perspective }: Lane): number => {
    if (kind === 'INFERRED') return inferred * (perspective === 'error' ? errors : 1 - errors);
    const share = kind === 'LEXICAL' ? lexicalShare : 1 - lexicalShare;
    return (1 - inferred) * share * (weights[perspective] / total);
  };
  return LANES.map((lane): LanePlan => ({ ...lane, weight: weightOf(lane) })).filter(({ weight }) => weight > 0);
}
