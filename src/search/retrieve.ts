import { UnavailableError } from '../domain/errors.js';
import type { IndexLedger } from '../domain/ports/ledger.js';
import type { Log } from '../domain/ports/log.js';
import { type Degradation, RETRIEVERS, type RetrieverName } from '../domain/search-result.js';
import { inSteps } from '../domain/steps.js';
import { visibleOwner } from '../domain/viewer.js';
import {
  DEEPEST,
  DEPTH_BESIDE_EXACT,
  type PlannedRetriever,
  restricts,
  type SearchPlan,
  WITHOUT_COLUMNS,
} from './plan.js';
import type { Query } from './query/query.js';
import { type ChromaRetrieverParts, failureLog, retrieveByVectors } from './retrievers/chroma.js';
import { type ExactCoverage, ExactRetriever, type ExactRetrieverParts } from './retrievers/exact.js';
import { retrieveByLabels, retrieveByTerms } from './retrievers/lexical.js';
import type { Retriever } from './retrievers/retriever.js';
import { ownCard, type SearchScope } from './scope.js';

/**
 * If no retriever answers, up to so many matching cards are all scored: about 0.3 s, which is slow but complete. A
 * larger collection is not answered by half.
 */
const FALLBACK_LIMIT = 20_000;

/** Chroma is first: it answers while the others work in this thread. */
export type Retrievers = Readonly<Record<Exclude<PlannedRetriever, 'exact'>, Retriever>> & {
  readonly exact: Retriever & ExactCoverage;
};

export interface RetrieversParts extends Omit<ChromaRetrieverParts, 'onFailure'>, ExactRetrieverParts {
  readonly log: Pick<Log, 'warn'>;
}

export function createRetrievers(parts: RetrieversParts): Retrievers {
  const { vectorStore, onLane } = parts;
  const onFailure = failureLog(parts.log);
  return {
    chroma: {
      retrieve: (retrieval, signal) => retrieveByVectors({ vectorStore, onLane, onFailure }, retrieval, signal),
    },
    lexical: { retrieve: async (retrieval) => retrieveByTerms(retrieval, onLane) },
    label: { retrieve: async (retrieval) => retrieveByLabels(retrieval, onLane) },
    exact: new ExactRetriever(parts),
  };
}

export interface RetrieveParts {
  readonly retrievers: Retrievers;
  readonly ledger: Pick<IndexLedger, 'cards'>;
}

export interface Retrievable extends SearchScope {
  readonly plan: SearchPlan;
  readonly query: Query;
}

/** Candidates of the retrievers, before the filter. */
export interface Proposals {
  readonly ids: ReadonlySet<string>;
  readonly voting: ReadonlySet<string>;
  /** How deep each lane was asked. */
  readonly depth: number;
  readonly retrievers: readonly RetrieverName[];
  readonly degraded: readonly Degradation[];
  /** False if no retriever answered. */
  readonly answered: boolean;
}

export interface Candidates {
  /** All of which match the filter. */
  readonly cardIds: readonly string[];
  /** The cards whose labels may vote; null: the candidates. */
  readonly voting: ReadonlySet<string> | null;
  /** Those that were asked. */
  readonly retrievers: readonly RetrieverName[];
  readonly degraded: readonly Degradation[];
}

/** Asks the planned retrievers, if any, at the planned depth or at a greater one. */
export async function retrieve(
  { retrievers, ledger }: RetrieveParts,
  { viewer, request, plan, query, matches, filter, index, generation }: Retrievable,
  signal: AbortSignal,
  depth = plan.depth,
): Promise<Proposals> {
  const filtered = restricts(filter) ? matches : null;
  const retrieval = { index, generation, query, rule: request, lanes: plan.lanes, matches: filtered };
  const ask = async (names: readonly PlannedRetriever[]) => {
    const answers = await Promise.all(
      names.map(async (name) => {
        const depths = { depth: depthFor(name, names, depth), voteDepth: depthFor(name, names, plan.voteDepth) };
        const retrieved = await retrievers[name].retrieve({ ...retrieval, ...depths }, signal);
        return retrieved === null ? [] : [{ name, ...retrieved }];
      }),
    );
    signal.throwIfAborted();
    return answers.flat();
  };
  const planned = await ask(plan.retrievers);
  // A load of another tenant may have dropped the columns since the search was planned.
  const isDropped = planned.some(({ name, answered }) => name === 'exact' && !answered);
  const asked = isDropped ? await ask(WITHOUT_COLUMNS) : planned;
  const ids = new Set(asked.flatMap((one) => one.ids));
  const voting = new Set(asked.flatMap((one) => one.voting));
  // Chroma has cards that another gateway indexed just now.
  const unknown = [...new Set([...ids, ...voting])].filter((id) => index.cards.revisionOf(id) === 0);
  if (unknown.length > 0) {
    const owner = visibleOwner(viewer);
    const deletions = index.deletions.count;
    for (const card of (await ledger.cards(generation.tenantId, unknown, signal)).values()) {
      if (owner !== undefined && card.ownerId !== owner) continue;
      await inSteps(index.analyse(card), undefined, signal);
      if (index.deletions.since(deletions)?.has(card.id) === false) index.set(card);
    }
  }
  return {
    ids,
    voting,
    depth,
    retrievers: asked.map(({ name }) => (name === 'chroma' && generation.inChroma === false ? 'postgres' : name)),
    degraded: asked.flatMap(({ degraded }) => degraded),
    answered: asked.some(({ answered }) => answered),
  };
}

/**
 * The candidates that match the filter, by its bitmap. If too few of the proposals match, the retrievers are asked for
 * more, and at last every match is a candidate. UnavailableError if no retriever answered and there are too many
 * matches to score all.
 */
export async function filterCandidates(
  parts: RetrieveParts,
  search: Retrievable,
  proposals: Proposals,
  signal: AbortSignal,
): Promise<Candidates> {
  const { plan, matches } = search;
  const voting = votersOf(search, proposals);
  const allMatches = ({ retrievers, degraded }: Proposals): Candidates => {
    return { cardIds: matches.cardIds(), voting, retrievers: namesOf([...retrievers, 'exact']), degraded };
  };
  if (plan.candidates === 'matches') return allMatches(proposals);
  const areFew = (): boolean => matches.size <= FALLBACK_LIMIT;
  let proposed = proposals;
  for (let before = 0; ; ) {
    const { ids, depth, retrievers, degraded, answered } = proposed;
    if (!answered && !areFew()) throw unanswered(degraded);
    if (!answered) return insteadOfLanes(allMatches(proposed));
    const cardIds = [...ids].filter((id) => matches.has(id));
    if (cardIds.length >= plan.enough) return { cardIds, voting, retrievers, degraded };
    // What is near does not match, and what matches is not near.
    const areAll = ids.size === before || depth === DEEPEST;
    if (areAll) return areFew() ? allMatches(proposed) : { cardIds, voting, retrievers, degraded };
    before = ids.size;
    proposed = await retrieve(parts, search, signal, deeper(depth, cardIds.length / plan.enough));
  }
}

/** The cards that vote in a layered search with a filter: the layers bring the candidates alone. */
export async function votingOf(
  parts: RetrieveParts,
  search: Retrievable,
  signal: AbortSignal,
): Promise<Pick<Candidates, 'voting' | 'degraded'>> {
  const { plan } = search;
  if (plan.matchedByFilter === null) return { voting: null, degraded: [] };
  const proposals = await retrieve(parts, search, signal, plan.voteDepth);
  return { voting: votersOf(search, proposals), degraded: proposals.degraded };
}

/** Every card that is to be scored, each once. */
export function scorable({ cardIds, voting }: Pick<Candidates, 'cardIds' | 'voting'>): readonly string[] {
  return voting === null ? cardIds : [...new Set([...cardIds, ...voting])];
}

/** The indexed cards that vote, without the card that is searched from; null: the candidates. */
function votersOf({ plan, index, request }: Retrievable, proposals: Proposals): ReadonlySet<string> | null {
  if (plan.voting === 'candidates' || (plan.voting === 'retrieved' && !proposals.answered)) return null;
  const voting = plan.voting === 'every' ? index.cards.ids() : [...proposals.voting];
  const own = ownCard(request.subject);
  return new Set(voting.filter((id) => index.cards.revisionOf(id) > 0 && id !== own));
}

/** Enough if later proposals match as often as those so far, and some to spare. */
function deeper(depth: number, share: number): number {
  return Math.min(DEEPEST, Math.ceil(Math.max(2, 1.5 / share) * depth));
}

function depthFor(name: PlannedRetriever, retrievers: readonly PlannedRetriever[], depth: number): number {
  return name !== 'exact' && retrievers.includes('exact') ? Math.min(depth, DEPTH_BESIDE_EXACT) : depth;
}

function unanswered(degraded: readonly Degradation[]): UnavailableError {
  const parts = degraded.map(({ part }) => part).join(', ');
  const lanes = parts === '' ? 'no lane could be asked' : `${parts} did not answer`;
  return new UnavailableError(
    'chroma',
    `${lanes}, and there are more than ${FALLBACK_LIMIT} cards to score without it`,
  );
}

function insteadOfLanes(all: Candidates): Candidates {
  const instead = `all ${all.cardIds.length} cards were scored instead`;
  return { ...all, degraded: all.degraded.map(({ part, reason }) => ({ part, reason: `${reason}; ${instead}` })) };
}

/** Each once, in the order of RETRIEVERS. */
export function namesOf(asked: Iterable<RetrieverName>): readonly RetrieverName[] {
  const names = new Set(asked);
  return RETRIEVERS.filter((name) => names.has(name));
}
