import { PERSPECTIVES } from '../domain/perspective.js';
import type { CardFilterStore, FilterMatch, MatchingCards } from '../domain/ports/cards.js';
import type { CardFilter, FilterPlan, RetrieverName, SearchRequest } from '../domain/search.js';
import { type Viewer, visibleOwner } from '../domain/viewer.js';
import { type LanePlan, lanesOf } from './lanes.js';
import type { ExactCoverage } from './retrievers/exact.js';
import type { SearchScope } from './scope.js';

/** How a request is served. */
export interface SearchPlan {
  /** The lanes that candidates are retrieved by. */
  readonly lanes: readonly LanePlan[];
  readonly retrievers: readonly RetrieverName[];
  readonly filterPlan: FilterPlan;
  /** How many neighbours each lane is asked for at first; 0 if every matching card is scored. */
  readonly depth: number;
  /** So many candidates must match the filter, or the retrievers are asked for more; 0 without a filter. */
  readonly enough: number;
  /** Every card that may be answered, all of which are scored; null if there are too many. */
  readonly matching: MatchingCards | null;
  readonly matchedByFilter: number | null;
}

/**
 * The costs of a search in microseconds, about as `npm run bench -- costs` prints them on two cores. Only their ratios count: if one
 * is wrong by half, searches with some thousands of matches take half as long again.
 */
const COSTS = {
  /** Scoring one card: its id comes from PostgreSQL, its vectors from the cache, and every lane compares it. */
  card: 14,
  /** Asking PostgreSQL whether one candidate matches. */
  filter: 5,
  /** One query of Chroma, beside others. */
  query: 2_500,
  /** One neighbour of such a query. */
  neighbour: 15,
  /** Comparing one card of the vector columns, by {@link ExactRetriever}. */
  exact: 0.2,
} as const;

/** Neighbours that each lane is asked for without a filter. */
const DEPTH = 100;

/** The same beside exact retrieval: for cards that another gateway indexed, which are in Chroma and not yet in the columns here. */
export const DEPTH_BESIDE_EXACT = 30;

/**
 * Exact retrieval takes as many cards as a lane would be asked for, and with a filter so many times as many: it only knows the
 * nearest of all, and some of them do not match.
 */
export const EXACT_SPARE = 8;

/** With the best by texts alone, exact retrieval proposes 1.25 times its depth, or with a filter 10 times; the mean for plans. */
const EXACT_PROPOSALS = 3;

/** Chroma takes three times as long for 1,000 neighbours as for 100, and PostgreSQL has thousands of candidates to filter. */
export const DEEPEST = 1_000;

/** Spare neighbours for each hit wanted: a card that is good in all lanes need not lead in one. */
const SPARE = 4;

/** For a viewer who may see one owner's cards: PostgreSQL's greatest integer. */
const NO_LIMIT = 2_147_483_647;

export interface PlanParts {
  readonly filters: Pick<CardFilterStore, 'matching'>;
  readonly retrievers: { readonly exact: ExactCoverage };
}

/** The tenant's cards, as far as they matter to a plan. */
export interface Collection {
  readonly cards: number;
  /** Whether exact retrieval reaches nearly all of them. */
  readonly covered: boolean;
  /** Whether it reaches every one, so that Chroma need not be asked beside it. */
  readonly coveredAll: boolean;
}

/** Counts the cards that match, if that can decide anything, and chooses the cheaper plan. */
export async function planSearch(
  { filters, retrievers: { exact } }: PlanParts,
  { viewer, request, filter, index, generation }: SearchScope,
  signal: AbortSignal,
): Promise<SearchPlan> {
  const cards = index.size;
  // Among the neighbours of everyone's cards too few would be this viewer's, and their number would tell of the others.
  const restricted = isRestricted(viewer);
  const covered = !restricted && cards <= exact.limit && exact.covers(index, generation);
  const collection = { cards, covered, coveredAll: covered && exact.coversAll(index, generation) };
  const limit = restricted ? NO_LIMIT : exactLimit(request, collection);
  // If every lane is asked for as many neighbours as there are cards, none can be missed.
  const every = cards <= Math.min(limit, exact.limit) && cards > depthOf(request, 1);
  const match =
    restricted || restricts(request.filter) || every
      ? await filters.matching(viewer, filter, generation.number, limit, signal)
      : null;
  return plan(request, match, collection);
}

/** Chooses a plan, given the cards that match; `match` is null if all do and the retrievers are to be asked. Pure. */
export function plan(request: SearchRequest, match: FilterMatch | null, collection: Collection): SearchPlan {
  // The receipt names the request's own filter only.
  const byFilter = restricts(request.filter);
  const common = { lanes: lanesOf(request), matchedByFilter: byFilter && match !== null ? match.matched : null };
  if (match !== null && match.all !== null) {
    const filterPlan = byFilter ? 'exact' : 'none';
    return { ...common, retrievers: ['exact'], filterPlan, depth: 0, enough: 0, matching: match.all };
  }
  const retrievers = retrieversFor(request, collection);
  if (match === null) {
    return { ...common, retrievers, filterPlan: 'none', depth: depthOf(request, 1), enough: 0, matching: null };
  }
  const depth = depthOf(request, Math.min(1, match.matched / collection.cards));
  const enough = SPARE * request.topK;
  return { ...common, retrievers, filterPlan: byFilter ? 'overfetch' : 'none', depth, enough, matching: null };
}

/** Up to how many matches it is cheaper to score every one than to ask the retrievers for enough that match. Pure. */
export function exactLimit(request: SearchRequest, collection: Collection): number {
  let [least, most] = [0, collection.cards];
  // Every match more makes exact scores dearer and retrieval cheaper, or both dearer by as much.
  while (least < most) {
    const matches = Math.ceil((least + most) / 2);
    if (matches * COSTS.card <= costOfRetrieval(request, collection, matches)) least = matches;
    else most = matches - 1;
  }
  return least;
}

export function restricts(filter: CardFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

function isRestricted(viewer: Viewer): boolean {
  return visibleOwner(viewer) !== undefined;
}

function retrieversFor(request: SearchRequest, { covered, coveredAll }: Collection): readonly RetrieverName[] {
  if (!covered || !isByScore(request)) return ['chroma', 'lexical', 'label'];
  return coveredAll ? ['exact'] : ['chroma', 'exact'];
}

/** Ranks within a lane, lane quotas and negative queries want cards that do not lead in the sum of the lanes. */
function isByScore({ fusion, perLane, avoid }: SearchRequest): boolean {
  return fusion === 'WEIGHTED' && perLane === null && PERSPECTIVES.every((perspective) => avoid[perspective] === 0);
}

/** So many neighbours contain an unfiltered depth of matches, if those are spread evenly. */
function depthOf({ topK }: SearchRequest, selectivity: number): number {
  return Math.min(DEEPEST, Math.ceil(Math.max(DEPTH, SPARE * topK) / selectivity));
}

function costOfRetrieval(request: SearchRequest, collection: Collection, matches: number): number {
  const { cards } = collection;
  const lanes = lanesOf(request);
  const depth = depthOf(request, matches / cards);
  const retrievers = retrieversFor(request, collection);
  const exact = retrievers.includes('exact');
  const dense = retrievers.includes('chroma') ? lanes.filter(({ kind }) => kind === 'DENSE').length : 0;
  const neighbours = exact ? DEPTH_BESIDE_EXACT : depth;
  const proposed = Math.min(cards, exact ? EXACT_PROPOSALS * depth : lanes.length * depth);
  const scored = (proposed * matches) / cards;
  const retrieving = dense * (COSTS.query + neighbours * COSTS.neighbour) + (exact ? cards * COSTS.exact : 0);
  return retrieving + proposed * COSTS.filter + scored * COSTS.card;
}
