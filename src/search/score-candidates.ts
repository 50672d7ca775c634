import type { UnavailableError } from '../domain/errors.js';
import type { MatchingCards } from '../domain/ports/cards.js';
import type { Generation, IndexLedger } from '../domain/ports/ledger.js';
import type { ComparableVectors, VectorSource } from '../domain/ports/vectors.js';
import type { Degradation } from '../domain/search.js';
import type { LexicalIndexes } from '../lexical/indexes.js';
import type { Query } from './query.js';
import { refreshWords } from './refresh.js';
import { score } from './score.js';
import type { ScoreMatrix } from './score-matrix.js';

/** What exact scores are computed from. */
export interface ExactParts {
  readonly ledger: Pick<IndexLedger, 'cards'>;
  readonly stored: VectorSource;
  readonly lexical: Pick<LexicalIndexes, 'of' | 'set'>;
}

/** Which cards are scored with which query, and in which lanes, by place in LANES. */
export interface ExactRequest {
  readonly generation: Generation;
  readonly candidates: MatchingCards;
  readonly query: Query;
  readonly asked: (lane: number) => boolean;
}

/** Exact scores, and what kept some of them from being computed. */
export interface ExactScores {
  readonly table: ScoreMatrix;
  /** By card id, of those that have any at hand. */
  readonly vectors: ReadonlyMap<string, ComparableVectors>;
  readonly degraded: readonly Degradation[];
}

/** Scores cards from their stored vectors and from their words, both of the revision that is indexed. */
export async function scoreExactly(
  { ledger, stored, lexical }: ExactParts,
  { generation, candidates, query, asked }: ExactRequest,
  signal: AbortSignal,
): Promise<ExactScores> {
  const { tenantId, number } = generation;
  await refreshWords({ ledger, lexical }, tenantId, candidates, signal);
  const { vectors, failure } = await stored.of(tenantId, number, candidates, signal);
  const table = score([...candidates.keys()], { vectors, index: lexical.of(tenantId) }, query, asked);
  return { table, vectors, degraded: failure === null ? [] : [unread(candidates.size - vectors.size, failure)] };
}

function unread(count: number, failure: UnavailableError): Degradation {
  return {
    part: 'vector cache',
    reason: `${count} candidates could not be compared by their vectors: ${failure.message}`,
  };
}
