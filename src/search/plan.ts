import type { CardFilter, FilterPlan, SearchRequest } from '../domain/search.js';
import { type Viewer, visibleOwner } from '../domain/viewer.js';
import type { Admitted, FilterMatch } from '../ports.js';
import { type LanePlan, lanesOf } from './lanes.js';

/** How a request will be served. */
export interface SearchPlan {
  /** The lanes that propose candidates. */
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

/** More than anyone has: PostgreSQL's greatest integer. */
const EVERY_MATCH = 2_147_483_647;

/**
 * Up to how many matches every one is scored; null where nothing restricts the viewer. A viewer who may see one owner's cards
 * has all of them scored: what the lanes propose among everyone's would be too few of them, and their number would tell of
 * the others.
 */
export function exactLimit(viewer: Viewer, filter: CardFilter): number | null {
  if (visibleOwner(viewer) !== undefined) return EVERY_MATCH;
  return restricts(filter) ? EXACT_LIMIT : null;
}
