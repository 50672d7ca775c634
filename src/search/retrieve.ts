import { UnavailableError } from '../domain/errors.js';
import type { CardFilterStore, MatchingCards } from '../domain/ports/cards.js';
import type { VectorColumnsSource } from '../domain/ports/vectors.js';
import { type Degradation, RETRIEVERS, type RetrieverName } from '../domain/search.js';
import { DEEPEST, DEPTH_BESIDE_EXACT, EXACT_SPARE, type SearchPlan } from './plan.js';
import type { Query } from './query.js';
import { ChromaRetriever, type ChromaRetrieverParts } from './retrievers/chroma.js';
import { type ExactCoverage, ExactRetriever } from './retrievers/exact.js';
import { LabelRetriever } from './retrievers/label.js';
import { LexicalRetriever } from './retrievers/lexical.js';
import type { Retriever } from './retrievers/retriever.js';
import type { SearchScope } from './scope.js';

/**
 * If no retriever answers, up to so many matching cards are all scored: about 0.3 s, which is slow but complete. A larger
 * collection is not answered by half.
 */
const FALLBACK_LIMIT = 20_000;

/** Chroma is first: it answers while the others work in this thread. */
export type Retrievers = Readonly<Record<Exclude<RetrieverName, 'exact'>, Retriever>> & {
  readonly exact: Retriever & ExactCoverage;
};

export interface RetrieversParts extends ChromaRetrieverParts {
  readonly vectors: VectorColumnsSource;
  /** Whether this is the only gateway on the database. */
  readonly alone: boolean;
  /** SEARCH_EXACT_LIMIT: see `ExactCoverage.limit`. */
  readonly exactLimit: number;
}

export function createRetrievers({ reader, vectors, alone, exactLimit, onLane, log }: RetrieversParts): Retrievers {
  return {
    chroma: new ChromaRetriever({ reader, onLane, log }),
    lexical: new LexicalRetriever(onLane),
    label: new LabelRetriever(onLane),
    exact: new ExactRetriever({ vectors, alone, limit: exactLimit, onLane }),
  };
}

export interface RetrieveParts {
  readonly retrievers: Retrievers;
  readonly filters: CardFilterStore;
}

/** A search that candidates are retrieved for. */
export interface Retrievable extends SearchScope {
  readonly plan: SearchPlan;
  readonly query: Query;
}

/** What the retrievers propose, before the filter. */
export interface Proposals {
  readonly ids: ReadonlySet<string>;
  /** How deep each lane was asked. */
  readonly depth: number;
  readonly retrievers: readonly RetrieverName[];
  readonly degraded: readonly Degradation[];
  /** False if no retriever answered. */
  readonly answered: boolean;
}

export interface Candidates {
  /** The cards to score, all of which the filter lets through. */
  readonly cards: MatchingCards;
  /** Those that were asked. */
  readonly retrievers: readonly RetrieverName[];
  readonly degraded: readonly Degradation[];
}

/** Asks the planned retrievers at the planned depth, or at a greater one. */
export async function retrieve(
  { retrievers }: Pick<RetrieveParts, 'retrievers'>,
  { plan, query, index, generation }: Retrievable,
  signal: AbortSignal,
  depth = plan.depth,
): Promise<Proposals> {
  const retrieval = { index, generation, query, lanes: plan.lanes, filter: plan.matching };
  const answers = await Promise.all(
    plan.retrievers.map(async (name) => {
      const retrieved = await retrievers[name].retrieve({ ...retrieval, depth: depthFor(name, plan, depth) }, signal);
      return retrieved === null ? [] : [{ name, ...retrieved }];
    }),
  );
  signal.throwIfAborted();
  const asked = answers.flat();
  return {
    ids: new Set(asked.flatMap(({ ids }) => ids)),
    depth,
    retrievers: asked.map(({ name }) => name),
    degraded: asked.flatMap(({ degraded }) => degraded),
    answered: asked.some(({ answered }) => answered),
  };
}

/**
 * The proposals that match the filter and may be seen, as PostgreSQL has them now. If too few match, the retrievers are asked for
 * more, and at last every match is a candidate. UnavailableError if no retriever answered and there are too many matches to score
 * all.
 */
export async function filterCandidates(
  parts: RetrieveParts,
  search: Retrievable,
  proposals: Proposals,
  signal: AbortSignal,
): Promise<Candidates> {
  const { viewer, filter, generation, plan } = search;
  const allMatches = async (): Promise<MatchingCards | null> =>
    (await parts.filters.matching(viewer, filter, generation.number, FALLBACK_LIMIT, signal)).all;
  if (plan.matching !== null) return { cards: plan.matching, retrievers: proposals.retrievers, degraded: [] };
  let proposed = proposals;
  for (let known = 0; ; known = proposed.ids.size) {
    const { ids, depth, retrievers, degraded } = proposed;
    if (!proposed.answered) return scoreAll(await allMatches(), proposed);
    const cards = await parts.filters.admit(viewer, filter, generation.number, [...ids], signal);
    if (cards.size >= plan.enough) return { cards, retrievers, degraded };
    if (ids.size === known || depth === DEEPEST) {
      // What is near does not match, and what matches is not near.
      const all = await allMatches();
      return all === null
        ? { cards, retrievers, degraded }
        : { cards: all, retrievers: withExact(retrievers), degraded };
    }
    proposed = await retrieve(parts, search, signal, deeper(depth, cards.size / plan.enough));
  }
}

/** Enough if later proposals match as often as those so far, and some to spare. */
function deeper(depth: number, share: number): number {
  return Math.min(DEEPEST, Math.ceil(Math.max(2, 1.5 / share) * depth));
}

function depthFor(name: RetrieverName, { retrievers, enough }: SearchPlan, depth: number): number {
  if (name === 'exact') return (enough > 0 ? EXACT_SPARE : 1) * depth;
  return retrievers.includes('exact') ? Math.min(depth, DEPTH_BESIDE_EXACT) : depth;
}

function scoreAll(all: MatchingCards | null, { degraded, retrievers }: Proposals): Candidates {
  if (all === null) {
    const lanes =
      degraded.length === 0
        ? 'no lane could be asked'
        : `${degraded.map(({ part }) => part).join(', ')} did not answer`;
    throw new UnavailableError(
      'chroma',
      `${lanes}, and there are more than ${FALLBACK_LIMIT} cards to score without it`,
    );
  }
  return {
    cards: all,
    retrievers: withExact(retrievers),
    degraded: degraded.map(({ part, reason }) => ({
      part,
      reason: `${reason}; all ${all.size} cards were scored instead`,
    })),
  };
}

function withExact(asked: readonly RetrieverName[]): readonly RetrieverName[] {
  return namesOf([...asked, 'exact']);
}

/** Each once, in the order of RETRIEVERS. */
export function namesOf(asked: Iterable<RetrieverName>): readonly RetrieverName[] {
  const names = new Set(asked);
  return RETRIEVERS.filter((name) => names.has(name));
}
