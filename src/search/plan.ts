import type { CardFilter, FilterPlan, SearchRequest } from '../domain/search.js';
import { type Viewer, visibleOwner } from '../domain/viewer.js';
import type { Admitted, FilterMatch } from '../ports.js';
import { type LanePlan, lanesOf } from './lanes.js';

/** How a request will be served. */
export interface SearchPlan {
  /** The lanes that propose candidates. */
  readonly lanes: readonly LanePlan[];
  readonly filterPlan: FilterPlan;
  /** How many passages, or cards, each lane is asked for at first; 0 where every matching card is scored. */
  readonly depth: number;
  /** So many candidates are enough; where fewer are admitted the lanes are asked for more. 0 where nothing is left out. */
  readonly enough: number;
  /** Every card that will be scored, where what may be seen alone decides that. */
  readonly admitted: Admitted | null;
  readonly matchedByFilter: number | null;
}

/**
 * What the parts of a search take, in microseconds, as `npm run bench:costs` prints them; on another machine all of them are
 * longer or shorter together. Where one is wrong by half, searches with some thousands of matches take half as long again.
 */
export const COSTS = {
  /** One card is scored: its id comes from PostgreSQL, its vectors from the cache, and every lane looks at it. */
  card: 14,
  /** PostgreSQL is asked whether one proposed card may be answered. */
  admission: 5,
  /** Chroma is asked for the neighbours of one vector, beside others. */
  query: 2_500,
  /** It brings one of them. */
  neighbour: 15,
} as const;

/** Neighbours that each lane is asked for where nothing is left out of them. */
const DEPTH = 100;

/** Chroma takes three times as long for 1,000 neighbours as for 100, and PostgreSQL has thousands of cards to admit. */
export const DEEPEST = 1_000;

/** Spare neighbours for each hit wanted: a card that is good in all lanes need not lead in one. */
const SPARE = 4;

/**
 * Decides how to serve a request, from which cards match its filter and may be seen; `match` is null where that is all of them
 * and the lanes are to be asked. Pure.
 */
export function plan(request: SearchRequest, match: FilterMatch | null): SearchPlan {
  const lanes = lanesOf(request);
  // The receipt tells of the request's own filter alone.
  const byFilter = restricts(request.filter);
  const matchedByFilter = byFilter && match !== null ? match.matched : null;
  if (match === null) {
    return { lanes, filterPlan: 'none', depth: depthOf(request, 1), enough: 0, admitted: null, matchedByFilter };
  }
  if (match.all !== null) {
    const filterPlan = byFilter ? 'exact' : 'none';
    return { lanes, filterPlan, depth: 0, enough: 0, admitted: match.all, matchedByFilter };
  }
  return {
    lanes,
    filterPlan: byFilter ? 'overfetch' : 'none',
    depth: depthOf(request, match.matched / match.total),
    enough: SPARE * request.topK,
    admitted: null,
    matchedByFilter,
  };
}

/**
 * Up to how many matches, of a tenant's `cards`, it costs less to score every one than to ask the lanes for so many that enough
 * of those match. Pure.
 */
export function exactLimit(request: SearchRequest, cards: number): number {
  const lanes = lanesOf(request);
  let [least, most] = [0, cards];
  // Every match more makes exact scores dearer and the lanes cheaper, or both dearer by as much.
  while (least < most) {
    const matches = Math.ceil((least + most) / 2);
    const depth = depthOf(request, matches / cards);
    if (matches * COSTS.card <= costOfLanes(lanes, { depth, cards, matches })) least = matches;
    else most = matches - 1;
  }
  return least;
}

/** Whether each lane is asked for as many as there are, so that none can be missed. */
export function reachesAll(request: SearchRequest, cards: number): boolean {
  return cards <= depthOf(request, 1);
}

/** Whether a filter restricts anything. */
export function restricts(filter: CardFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

/** Whether there may be cards that the viewer must not see. */
export function isRestricted(viewer: Viewer): boolean {
  return visibleOwner(viewer) !== undefined;
}

/** So many neighbours bring an unfiltered depth of matches, where those are spread evenly. */
function depthOf({ topK }: SearchRequest, selectivity: number): number {
  return Math.min(DEEPEST, Math.ceil(Math.max(DEPTH, SPARE * topK) / selectivity));
}

function costOfLanes(
  lanes: readonly LanePlan[],
  { depth, cards, matches }: { readonly depth: number; readonly cards: number; readonly matches: number },
): number {
  const dense = lanes.filter(({ kind }) => kind === 'DENSE').length;
  const proposed = Math.min(cards, lanes.length * depth);
  const scored = (proposed * matches) / cards;
  return dense * (COSTS.query + depth * COSTS.neighbour) + proposed * COSTS.admission + scored * COSTS.card;
}
