import { within } from '../../domain/async.js';
import { asError, UnavailableError } from '../../domain/errors.js';
import type { VectorStore } from '../../domain/ports/collections.js';
import type { Log } from '../../domain/ports/log.js';
import { laneName } from '../../domain/search.js';
import { type Degradation } from '../../domain/search-result.js';
import type { LanePlan } from '../lanes.js';
import { type OnLane, timeRemoteLane } from '../timing.js';
import type { Retrieval, Retrieved } from './retriever.js';

/** A slower lane is left out, so that the others can still answer within the request's deadline of 2 s. */
const LANE_DEADLINE_MS = 1_000;

/** Interval of log lines about one lane: during an outage of Chroma, every search fails in up to four lanes. */
const LOG_EVERY_MS = 10_000;

export interface ChromaRetrieverParts {
  readonly vectorStore: Pick<VectorStore, 'nearest'>;
  readonly onLane: OnLane;
  readonly onFailure: (part: string, cause: unknown) => void;
}

/**
 * Logs failures of a lane at most every ten seconds, with the number of failures since the last line, `sinceMs` ago
 * (null: none before).
 */
export function failureLog(log: Pick<Log, 'warn'>): ChromaRetrieverParts['onFailure'] {
  const logged = new Map<string, { readonly atMs: number; omitted: number }>();
  return (part, cause) => {
    const last = logged.get(part);
    const atMs = performance.now();
    if (last !== undefined && atMs - last.atMs < LOG_EVERY_MS) {
      last.omitted += 1;
      return;
    }
    logged.set(part, { atMs, omitted: 0 });
    const { omitted = 0 } = last ?? {};
    const sinceMs = last === undefined ? null : Math.round(atMs - last.atMs);
    log.warn({ err: asError(cause), part, omitted, sinceMs }, 'a lane failed and is left out of a search');
  };
}

/** The nearest passages of each dense lane: by Chroma's HNSW index, or of a small tenant by PostgreSQL. */
export async function retrieveByVectors(
  parts: ChromaRetrieverParts,
  retrieval: Retrieval,
  signal: AbortSignal,
): Promise<Retrieved | null> {
  const { vectors } = retrieval.query;
  const lanes = retrieval.lanes.filter(({ kind, perspective }) => kind === 'DENSE' && vectors[perspective].length > 0);
  if (lanes.length === 0) return null;
  const answers = await Promise.allSettled(lanes.map((lane) => nearestIn(parts, lane, retrieval, signal)));
  const degraded = answers.flatMap((answer, place) =>
    answer.status === 'rejected' ? [failed(parts, lanes[place] as LanePlan, answer.reason)] : [],
  );
  const lists = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const firstOf = (count: number): string[] => lists.flatMap((list) => list.slice(0, count));
  const { depth, voteDepth } = retrieval;
  return { ids: firstOf(depth), voting: firstOf(voteDepth), degraded, answered: degraded.length < lanes.length };
}

/** A list for each query vector, nearest first. */
function nearestIn(
  { onLane, vectorStore }: ChromaRetrieverParts,
  lane: LanePlan,
  { generation, query, depth, voteDepth }: Retrieval,
  signal: AbortSignal,
): Promise<readonly (readonly string[])[]> {
  const { perspective } = lane;
  const key = { tenantId: generation.tenantId, generation: generation.number, perspective };
  const part = generation.inChroma === false ? 'database' : 'chroma';
  const late = (): Error => new UnavailableError(part, `no answer within ${LANE_DEADLINE_MS} ms`);
  return timeRemoteLane(onLane, lane, () =>
    within({ ms: LANE_DEADLINE_MS, late, signal }, async (deadline) => {
      const vectors = query.vectors[perspective];
      const limit = Math.max(depth, voteDepth);
      // PostgreSQL reads all vectors of the perspective for each call.
      const calls = generation.inChroma === false ? [vectors] : vectors.map((vector) => [vector]);
      const lists = await Promise.all(calls.map((some) => vectorStore.nearest(key, some, limit, deadline)));
      return lists.flat().map((list) => list.map(({ cardId }) => cardId));
    }),
  );
}

/** Clients read our own words: those of a third party may name servers, and go to the log. */
function failed({ onFailure }: ChromaRetrieverParts, lane: LanePlan, cause: unknown): Degradation {
  const part = laneName(lane);
  onFailure(part, cause);
  return {
    part,
    reason: cause instanceof UnavailableError ? cause.message : 'the vector server answered with an error',
  };
}
