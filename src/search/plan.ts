import { PERSPECTIVES } from '../domain/perspective.js';
import type { CardFilter, SearchRequest } from '../domain/search.js';
import type { FilterPlan, RetrieverName } from '../domain/search-result.js';
import { visibleOwner } from '../domain/viewer.js';
import { type LanePlan, lanesOf } from './lanes.js';
import type { ExactCoverage } from './retrievers/exact.js';
import { NO_GENERATION, type SearchScope } from './scope.js';

/** A retriever that a plan names; that of small tenants is `chroma` here, and reads where their vectors are. */
export type PlannedRetriever = Exclude<RetrieverName, 'postgres'>;

export interface SearchPlan {
  /** The lanes that candidates are retrieved by. */
  readonly lanes: readonly LanePlan[];
  /** None if nothing is retrieved. */
  readonly retrievers: readonly PlannedRetriever[];
  readonly filterPlan: FilterPlan;
  /** Whether every matching card is a candidate, or those that are retrieved and match. */
  readonly candidates: 'matches' | 'retrieved';
  /**
   * Whose labels may vote, the same with any filter: every card's, or those of the cards that are retrieved without it.
   */
  readonly voting: 'candidates' | 'every' | 'retrieved';
  /** How many neighbours each lane is asked for at first. */
  readonly depth: number;
  /** The same without a filter: of the neighbours of a lane so many may vote. */
  readonly voteDepth: number;
  /** So many candidates must match the filter, or the retrievers are asked for more. */
  readonly enough: number;
  readonly matchedByFilter: number | null;
}

/**
 * The costs of a search in microseconds, about as `npm run bench -- costs` prints them on two cores. Only their ratios
 * count: if one is wrong by half, searches with some thousands of matches take half as long again.
 */
const COSTS = {
  /** Scoring one card: its vectors come from the cache, and every lane compares it. */
  card: 14,
  /** One query of Chroma, beside others. */
  query: 2_500,
  /** One neighbour of such a query. */
  neighbour: 15,
  /** Comparing one card of the vector columns, by {@link ExactRetriever}. */
  exact: 0.2,
} as const;

/** Neighbours that each lane is asked for without a filter. */
const DEPTH = 100;

/**
 * The same beside exact retrieval: for cards that another gateway indexed, which are in Chroma and not yet in the
 * columns here.
 */
export const DEPTH_BESIDE_EXACT = 30;

/** Exact retrieval also proposes the best by texts alone. */
const EXACT_PROPOSALS = 1.3;

/** Chroma takes three times as long for 1,000 neighbours as for 100, and thousands of candidates are to be scored. */
export const DEEPEST = 1_000;

/** Spare neighbours for each hit wanted: a card that is good in all lanes need not lead in one. */
const SPARE = 4;

/**
 * Up to so many own cards of a viewer are all scored, which takes 7 µs each; of more, the best are retrieved from the
 * tenant's columns, which takes .2 µs for each of the tenant's cards.
 */
const MANY_OWN = 4_000;

/** What is asked without vector columns. */
export const WITHOUT_COLUMNS = ['chroma', 'lexical', 'label'] as const satisfies readonly PlannedRetriever[];

export interface PlanParts {
  readonly retrievers: { readonly exact: ExactCoverage };
}

/** The cards that the viewer may see, as far as they matter to a plan. */
export interface Collection {
  readonly cards: number;
  /** Whether exact retrieval reaches nearly all of them. */
  readonly covered: boolean;
  /** Whether it reaches every one, so that Chroma need not be asked beside it. */
  readonly coveredAll: boolean;
  /** Up to so many matches may all be scored. */
  readonly limit: number;
  /** Whether a search without a filter scores all cards. */
  readonly scoresAll: boolean;
}

type Reached = Pick<Collection, 'cards' | 'covered' | 'coveredAll'>;

/** Counts the cards that match and chooses the cheaper plan. */
export function planSearch(
  { retrievers: { exact } }: PlanParts,
  { viewer, request, matches, index, generation }: SearchScope,
): SearchPlan {
  const cards = index.size;
  const restricted = visibleOwner(viewer) !== undefined;
  // The columns are the tenant's, and a pass compares all of them, whosever they are.
  const isReached = restricted
    ? cards > MANY_OWN && request.strategy === 'FUSED' && isByScore(request) && exact.coversAll(index, generation)
    : cards <= exact.limit && exact.covers(index, generation);
  const reached = { cards, covered: isReached, coveredAll: isReached && exact.coversAll(index, generation) };
  // Among the neighbours of everyone's cards too few would be this viewer's, and their number would tell of the others.
  const scoresOwn = restricted && !isReached;
  const limit = scoresOwn ? cards : Math.min(exact.limit, exactLimit(request, reached));
  // If every lane is asked for as many neighbours as there are cards, none can be missed.
  // A tenant without cards has no generation whose collections could be asked.
  const isEmpty = generation.number === NO_GENERATION;
  const scoresAll = scoresOwn || isEmpty || (cards <= limit && cards > depthOf(request, 1));
  return plan(request, restricts(request.filter) ? matches.size : null, { ...reached, limit, scoresAll });
}

/** Chooses a plan, given how many cards match the request's own filter; null without one. Pure. */
export function plan(request: SearchRequest, matchedByFilter: number | null, collection: Collection): SearchPlan {
  const lanes = lanesOf(request);
  const retrievers = retrieversFor(request, collection);
  const depth = depthOf(request, 1);
  const common = { lanes, retrievers, depth, voteDepth: depth, enough: 0, matchedByFilter };
  const filterPlan = matchedByFilter === null ? 'none' : 'exact';
  const hasVotes = matchedByFilter !== null && lanes.some(({ kind }) => kind === 'INFERRED');
  if (collection.scoresAll) {
    const voting = hasVotes ? 'every' : 'candidates';
    return { ...common, filterPlan, retrievers: [], candidates: 'matches', voting };
  }
  const retrieved = { ...common, filterPlan, candidates: 'retrieved', voting: 'retrieved' } as const;
  if (matchedByFilter === null) return retrieved;
  const isExact = retrievers.includes('exact');
  // Exact retrieval, which the votes need anyway, brings the best matches too.
  if (hasVotes && isExact) return retrieved;
  if (matchedByFilter <= collection.limit) {
    if (hasVotes) return { ...retrieved, candidates: 'matches' };
    return { ...common, filterPlan, retrievers: [], candidates: 'matches', voting: 'candidates' };
  }
  if (isExact) return retrieved;
  const selectivity = Math.min(1, matchedByFilter / collection.cards);
  const enough = SPARE * request.topK;
  return { ...retrieved, filterPlan: 'overfetch', depth: depthOf(request, selectivity), enough };
}

/** Up to how many matches it is cheaper to score every one than to ask the retrievers for enough that match. Pure. */
export function exactLimit(request: SearchRequest, collection: Reached): number {
  const costOf = costsOfRetrieval(request, collection);
  let [least, most] = [0, collection.cards];
  // Every match more makes exact scores dearer and retrieval cheaper, or both dearer by as much.
  while (least < most) {
    const matches = Math.ceil((least + most) / 2);
    if (matches * COSTS.card <= costOf(matches)) least = matches;
    else most = matches - 1;
  }
  return least;
}

export function restricts(filter: CardFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

function retrieversFor(request: SearchRequest, { covered, coveredAll }: Reached): readonly PlannedRetriever[] {
  if (!covered || !isByScore(request)) return WITHOUT_COLUMNS;
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

/** The cost of retrieval by how many cards match. */
function costsOfRetrieval(request: SearchRequest, collection: Reached): (matches: number) => number {
  const { cards } = collection;
  const lanes = lanesOf(request);
  const retrievers = retrieversFor(request, collection);
  const exact = retrievers.includes('exact');
  const dense = retrievers.includes('chroma') ? lanes.filter(({ kind }) => kind === 'DENSE').length : 0;
  return (matches) => {
    const depth = depthOf(request, exact ? 1 : matches / cards);
    const neighbours = exact ? DEPTH_BESIDE_EXACT : depth;
    const scored = exact
      ? Math.min(matches, EXACT_PROPOSALS * depth)
      : (Math.min(cards, lanes.length * depth) * matches) / cards;
    const retrieving = dense * (COSTS.query + neighbours * COSTS.neighbour) + (exact ? cards * COSTS.exact : 0);
    return retrieving + scored * COSTS.card;
  };
}
