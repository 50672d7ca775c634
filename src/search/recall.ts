import { within } from '../domain/async.js';
import { asError, UnavailableError } from '../domain/errors.js';
import type { CardFilterStore, MatchingCards } from '../domain/ports/cards.js';
import type { VectorReader } from '../domain/ports/collections.js';
import type { Generation } from '../domain/ports/ledger.js';
import { type CardFilter, type Degradation, laneName } from '../domain/search.js';
import type { Viewer } from '../domain/viewer.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import type { QueryVectors } from './embed.js';
import type { CardScanner } from './exact-scan.js';
import { type OnLane, timeServed } from './lane-times.js';
import type { LanePlan } from './lanes.js';
import { DEEPEST, DEPTH_BESIDE_SCAN, SCAN_SPARE, type SearchPlan } from './plan.js';
import { proposals } from './propose.js';
import type { Query } from './query.js';

/** A lane that takes longer is left out, so that the others can still answer within the request's deadline of 2 s. */
const LANE_DEADLINE_MS = 1_000;

/**
 * With no lane left, this many cards at most are all scored from the vector cache instead: about 0.3 s, which is slow but
 * whole. A larger collection is not answered by half.
 */
const SCAN_LIMIT = 20_000;

/** What recall asks. */
export interface RecallParts {
  readonly reader: Pick<VectorReader, 'nearest'>;
  readonly index: LexicalIndex;
  readonly filters: CardFilterStore;
  readonly scanner: CardScanner;
  readonly onLane: OnLane;
  readonly log: { warn(facts: object, message: string): void };
}

/** On whose behalf, and what may be answered. */
export interface RecallRequest {
  readonly viewer: Viewer;
  readonly filter: CardFilter;
  readonly generation: Generation;
}

/** What recall proposes. */
export interface Recalled {
  /** The cards to score, all of which the filter lets through. */
  readonly candidates: MatchingCards;
  readonly degraded: readonly Degradation[];
}

/**
 * Collects the cards that may be among the best: all that match, or the best of every lane, which PostgreSQL then admits or
 * not. Where too few of them are admitted the lanes are asked for more, and last of all every match is taken. A lane that fails is named; UnavailableError where none answers and there are too many cards to score all.
 */
export async function recall(
  parts: RecallParts,
  request: RecallRequest,
  plan: SearchPlan,
  query: Query,
  signal: AbortSignal,
): Promise<Recalled> {
  if (plan.admitted !== null) return { candidates: plan.admitted, degraded: [] };
  const { viewer, filter, generation } = request;
  let known = 0;
  for (let { depth } = plan; ; ) {
    const proposed = await propose(parts, generation, { ...plan, depth }, query, signal);
    const { ids, degraded } = proposed;
    if (proposed.noneAnswered) return scanAll(parts.filters, request, degraded, signal);
    const candidates = await parts.filters.admit(viewer, filter, generation.number, [...ids], signal);
    if (candidates.size >= plan.enough) return { candidates, degraded };
    const exhausted = ids.size === known;
    if (exhausted || depth === DEEPEST) {
      // What is near does not match, and what matches is not near: then it is the matches that are looked through.
      const { all } = await parts.filters.matching(viewer, filter, generation.number, SCAN_LIMIT, signal);
      return { candidates: all ?? candidates, degraded };
    }
    known = ids.size;
    depth = deeper(depth, candidates.size / plan.enough);
  }
}

/** As many as should be enough if those to come match as often as those that came, with some to spare. */
function deeper(depth: number, share: number): number {
  return Math.min(DEEPEST, Math.ceil(Math.max(2, 1.5 / share) * depth));
}

/** What the lanes propose, before anybody asks whether it may be answered. */
interface Proposed {
  readonly ids: ReadonlySet<string>;
  readonly degraded: readonly Degradation[];
  readonly noneAnswered: boolean;
}

async function propose(
  { reader, index, scanner, onLane, log }: Omit<RecallParts, 'filters'>,
  generation: Generation,
  plan: SearchPlan,
  query: Query,
  signal: AbortSignal,
): Promise<Proposed> {
  const dense = plan.lanes.filter(({ kind, perspective }) => kind === 'DENSE' && query.vectors[perspective].length > 0);
  const scans = plan.byScore && scanner.covers(index, generation);
  // The server could bring nothing that is not looked at here.
  const asked = scans && scanner.coversAll(index, generation) ? [] : dense;
  const depth = scans ? Math.min(plan.depth, DEPTH_BESIDE_SCAN) : plan.depth;
  const answers = Promise.allSettled(
    asked.map((lane) =>
      timeServed(onLane, lane, () => neighbours(reader, generation, lane, depth, query.vectors, signal)),
    ),
  );
  // While Chroma looks for neighbours, the cards in memory are looked through here.
  const words = scans
    ? scanner.best({
        index,
        generation,
        lanes: plan.lanes,
        query,
        limit: (plan.enough > 0 ? SCAN_SPARE : 1) * plan.depth,
        onLane,
      })
    : proposals(index, plan, query, onLane);
  const ids = new Set(words);
  const degraded: Degradation[] = [];
  (await answers).forEach((outcome, place) => {
    if (outcome.status === 'fulfilled') for (const id of outcome.value) ids.add(id);
    else degraded.push(failedLane(asked[place], outcome.reason, log));
  });
  signal.throwIfAborted();
  return { ids, degraded, noneAnswered: words === null && degraded.length === dense.length };
}

async function neighbours(
  reader: Pick<VectorReader, 'nearest'>,
  generation: Generation,
  { perspective }: LanePlan,
  depth: number,
  vectors: QueryVectors,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const key = { tenantId: generation.tenantId, generation: generation.number, perspective };
  const late = (): Error => new UnavailableError('chroma', `no answer within ${LANE_DEADLINE_MS} ms`);
  return within({ ms: LANE_DEADLINE_MS, late, signal }, async (deadline) => {
    const lists = await Promise.all(vectors[perspective].map((vector) => reader.nearest(key, vector, depth, deadline)));
    return lists.flat().map(({ cardId }) => cardId);
  });
}

async function scanAll(
  filters: CardFilterStore,
  { viewer, filter, generation }: RecallRequest,
  failed: readonly Degradation[],
  signal: AbortSignal,
): Promise<Recalled> {
  const { all } = await filters.matching(viewer, filter, generation.number, SCAN_LIMIT, signal);
  if (all === null) {
    const lanes =
      failed.length === 0 ? 'no lane could be asked' : `${failed.map(({ part }) => part).join(', ')} did not answer`;
    throw new UnavailableError('chroma', `${lanes}, and there are more than ${SCAN_LIMIT} cards to score without it`);
  }
  const degraded = failed.map(({ part, reason }) => ({
    part,
    reason: `${reason}; all ${all.size} cards were scored instead`,
  }));
  return { candidates: all, degraded };
}

/** What a client reads of a failed lane: our own words, never a third party's, which may name servers. Those go to the log. */
function failedLane(lane: LanePlan | undefined, cause: unknown, log: RecallParts['log']): Degradation {
  const part = lane === undefined ? 'lane' : laneName(lane);
  log.warn({ err: asError(cause), part }, 'a lane is left out of a search');
  return {
    part,
    reason: cause instanceof UnavailableError ? cause.message : 'the vector server answered with an error',
  };
}
