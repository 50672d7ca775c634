import { UnavailableError } from '../domain/errors.js';
import type { Generation, IndexLedger } from '../domain/ports/ledger.js';
import type { Embedder, EmbedderSource } from '../domain/ports/models.js';
import type { CardFilter, SearchRequest } from '../domain/search.js';
import type { Viewer } from '../domain/viewer.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';

/** What every stage of one search knows. */
export interface SearchScope {
  readonly viewer: Viewer;
  readonly request: SearchRequest;
  /** The request's filter, without the card that is searched from. */
  readonly filter: CardFilter;
  readonly index: LexicalIndex;
  /** The live one, and its model: a query is embedded by that model and no other. */
  readonly generation: Generation;
  readonly embedder: Embedder;
}

export interface ScopeParts {
  readonly ledger: Pick<IndexLedger, 'live'>;
  readonly embedders: Pick<EmbedderSource, 'of'>;
  /** The lexical index of the cards that a viewer may see. */
  readonly indexes: { of(viewer: Viewer, signal: AbortSignal): Promise<LexicalIndex> };
}

/** UnavailableError without a live generation, or without its model. */
export async function scopeOf(
  { ledger, embedders, indexes }: ScopeParts,
  viewer: Viewer,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<SearchScope> {
  const index = await indexes.of(viewer, signal);
  const generation = await ledger.live(viewer.tenantId, signal);
  if (generation === null) {
    throw new UnavailableError('index', 'it is being built for the first time; indexStatus tells how far it is');
  }
  const embedder = embedders.of(generation.modelKey);
  if (embedder === null) {
    throw new UnavailableError(
      'index',
      `it was built with the model ${generation.modelKey}, which this gateway does not have; it is being built anew`,
    );
  }
  const { subject } = request;
  const filter =
    subject.kind === 'text'
      ? request.filter
      : { ...request.filter, excludeCardIds: [...(request.filter.excludeCardIds ?? []), subject.cardId] };
  return { viewer, request, filter, index, generation, embedder };
}
