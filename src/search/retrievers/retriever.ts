import type { Generation } from '../../domain/ports/ledger.js';
import type { Degradation } from '../../domain/search-result.js';
import type { PosteriorRule } from '../../lexical/label-posterior.js';
import type { LexicalIndex } from '../../lexical/lexical-index.js';
import type { LanePlan } from '../lanes.js';
import type { Query } from '../query/query.js';
import type { FilterBitmap } from '../scope.js';

export interface Retrieval {
  readonly index: LexicalIndex;
  readonly generation: Generation;
  readonly query: Query;
  /** How the labels of the query are inferred. */
  readonly rule: PosteriorRule;
  /** The lanes that the search asks; a retriever serves those that it can. */
  readonly lanes: readonly LanePlan[];
  /** How many candidates are wanted: by each lane, or of all lanes together. */
  readonly depth: number;
  /** The same without a filter. */
  readonly voteDepth: number;
  /** The cards that may be answered; null if all may. */
  readonly matches: FilterBitmap | null;
}

export interface Retrieved {
  /** Card ids; some may not match the filter. */
  readonly ids: readonly string[];
  /** Those cards of a search without the filter whose labels may vote. */
  readonly voting: readonly string[];
  /** The lanes that failed. */
  readonly degraded: readonly Degradation[];
  /** False if every lane failed. */
  readonly answered: boolean;
}

/** Proposes candidates; what they score is computed afterwards. */
export interface Retriever {
  /** Null if the query has nothing for the lanes of this retriever. */
  retrieve(retrieval: Retrieval, signal: AbortSignal): Promise<Retrieved | null>;
}
