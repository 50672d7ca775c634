import { PERSPECTIVES } from '../domain/perspective.js';
import type { FilterMatch, MatchingCards } from '../domain/ports/cards.js';
import type { CardFilter, FilterPlan, SearchRequest } from '../domain/search.js';
import { type Viewer, visibleOwner } from '../domain/viewer.js';
import { type LanePlan, lanesOf } from './lanes.js';

/** How a request will be served. */
export interface SearchPlan {
  /** The lanes that propose candidates. */
  readonly lanes: readonly LanePlan[];
  readonly filterPlan: FilterPlan;
  /** How many passages, or cards, each lane is asked for at first; 0 where every matching card is scored. */
  readonly depth: number;
  /** Whether the cards that score best in all lanes together are what is looked for, and not those that a lane has first. */
  readonly byScore: boolean;
  /** So many candidates are enough; where fewer are admitted the lanes are asked for more. 0 where nothing is left out. */
  readonly enough: number;
  /** Every card that will be scored, where what may be seen alone decides that. */
  readonly admitted: MatchingCards | null;
  readonly matchedByFilter: number | null;
}

/**
 * What the parts of a search take, in microseconds, about as `npm run bench -- costs` prints them on two cores; on another or a busier
 * machine all of them are longer or shorter, and it is their ratios that count. Where one is wrong by half, searches with some thousands of matches take half as long again.
 */
const COSTS = {
  /** One card is scored: its id comes from PostgreSQL, its vectors from the cache, and every lane looks at it. */
  card: 14,
  /** PostgreSQL is asked whether one proposed card may be answered. */
  admission: 5,
  /** Chroma is asked for the neighbours of one vector, beside others. */
  query: 2_500,
  /** It brings one of them. */
  neighbour: 15,
  /** One card is looked at with all others, where their vectors are at hand in columns. */
  scanned: 0.2,
} as const;

/** Neighbours that each lane is asked for where nothing is left out of them. */
const DEPTH = 100;

/**
 * Neighbours that each lane is asked for beside a scan of all cards: those that another gateway on the same database has
 * indexed are in Chroma, and not yet in the vectors here.
 */
export const DEPTH_BESIDE_SCAN = 30;

/**
 * Of a scan as many cards are taken as neighbours that a lane would be asked for, and so many times as many where a filter leaves
 * cards out: which labels are believed is voted on by the nearest cards that match, and a scan only knows the nearest of all.
 */
export const SCAN_SPARE = 8;

/** With those that are the best by their texts alone a scan proposes 1.25 times as many, or with a filter 10 times; a plan counts so many. */
const SCAN_PROPOSES = 3;

/** Chroma takes three times as long for 1,000 neighbours as for 100, and PostgreSQL has thousands of cards to admit. */
export const DEEPEST = 1_000;

/** Spare neighbours for each hit wanted: a card that is good in all lanes need not lead in one. */
const SPARE = 4;

/**
 * Decides how to serve a request, from which of a tenant's `cards` match its filter and may be seen; `match` is null where that is
 * all of them and the lanes are to be asked. Pure.
 */
export function plan(request: SearchRequest, match: FilterMatch | null, cards: number): SearchPlan {
  const lanes = lanesOf(request);
  // The receipt tells of the request's own filter alone.
  const byFilter = restricts(request.filter);
  const matchedByFilter = byFilter && match !== null ? match.matched : null;
  const common = { lanes, matchedByFilter, byScore: isByScore(request) };
  if (match === null) return { ...common, filterPlan: 'none', depth: depthOf(request, 1), enough: 0, admitted: null };
  if (match.all !== null) {
    return { ...common, filterPlan: byFilter ? 'exact' : 'none', depth: 0, enough: 0, admitted: match.all };
  }
  const depth = depthOf(request, Math.min(1, match.matched / cards));
  const enough = SPARE * request.topK;
  return { ...common, filterPlan: byFilter ? 'overfetch' : 'none', depth, enough, admitted: null };
}

/**
 * Up to how many matches, of a tenant's cards, it costs less to score every one than to ask the lanes for so many that enough
 * of those match. Pure.
 */
export function exactLimit(request: SearchRequest, notebook: Notebook): number {
  const { cards } = notebook;
  const scanned = notebook.scanned && isByScore(request);
  const lanes = lanesOf(request);
  let [least, most] = [0, cards];
  // Every match more makes exact scores dearer and the lanes cheaper, or both dearer by as much.
  while (least < most) {
    const matches = Math.ceil((least + most) / 2);
    const depth = depthOf(request, matches / cards);
    if (matches * COSTS.card <= costOfLanes(lanes, { ...notebook, depth, matches, scanned })) least = matches;
    else most = matches - 1;
  }
  return least;
}

/**
 * The limit for a viewer who may see one owner's cards: more than anyone has, PostgreSQL's greatest integer. What the lanes
 * propose among everyone's would be too few of them, and their number would tell of the others.
 */
export const EVERY_MATCH = 2_147_483_647;

/** A tenant's cards, as far as they matter to a plan. */
export interface Notebook {
  readonly cards: number;
  /** Whether nearly all of them can be scanned. */
  readonly scanned: boolean;
  /** Whether every one can, so that Chroma is not asked beside the scan. */
  readonly whole: boolean;
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

/** Ranks within a lane, quotas of lanes and what is avoided ask for cards that the sum of the lanes does not put first. */
function isByScore({ fusion, perLane, avoid }: SearchRequest): boolean {
  return fusion === 'WEIGHTED' && perLane === null && PERSPECTIVES.every((perspective) => avoid[perspective] === 0);
}

/** So many neighbours bring an unfiltered depth of matches, where those are spread evenly. */
function depthOf({ topK }: SearchRequest, selectivity: number): number {
  return Math.min(DEEPEST, Math.ceil(Math.max(DEPTH, SPARE * topK) / selectivity));
}

function costOfLanes(
  lanes: readonly LanePlan[],
  { depth, cards, matches, scanned, whole }: Notebook & { readonly depth: number; readonly matches: number },
): number {
  const dense = scanned && whole ? 0 : lanes.filter(({ kind }) => kind === 'DENSE').length;
  const neighbours = scanned ? DEPTH_BESIDE_SCAN : depth;
  const proposed = Math.min(cards, scanned ? SCAN_PROPOSES * depth : lanes.length * depth);
  const scored = (proposed * matches) / cards;
  const proposing = dense * (COSTS.query + neighbours * COSTS.neighbour) + (scanned ? cards * COSTS.scanned : 0);
  return proposing + proposed * COSTS.admission + scored * COSTS.card;
}
