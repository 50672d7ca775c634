import type { Card } from '../domain/card.js';
import { UnavailableError } from '../domain/errors.js';
import { cardsByGivenIds, type MergeableCards } from '../domain/given-ids.js';
import type { Generation, IndexLedger } from '../domain/ports/ledger.js';
import { type Embedder, type EmbedderSource, modelKey } from '../domain/ports/models.js';
import type { CardFilter, SearchRequest, SearchSubject } from '../domain/search.js';
import type { Degradation } from '../domain/search-result.js';
import type { Viewer } from '../domain/viewer.js';
import type { DocSet } from '../lexical/doc-set.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import type { Vocabulary } from './query/vocabulary.js';

/** The cards that a filter lets through, as the index is whenever it is asked: doc numbers change their cards. */
export class FilterBitmap {
  #docs: DocSet | undefined;
  #changes = -1;

  constructor(
    private readonly index: LexicalIndex,
    private readonly filter: CardFilter,
    private readonly vocabulary: Pick<Vocabulary, 'meantIn'>,
  ) {}

  /** Valid until the index changes. */
  get docs(): DocSet {
    if (this.#docs === undefined || this.#changes !== this.index.changes) {
      this.#docs = this.index.matching(this.filter, this.vocabulary.meantIn(this.index.profiles));
      this.#changes = this.index.changes;
    }
    return this.#docs;
  }

  get size(): number {
    return this.docs.size;
  }

  has(cardId: string): boolean {
    const doc = this.index.cards.docOf(cardId);
    return doc !== undefined && this.docs.has(doc);
  }

  cardIds(): string[] {
    return this.index.cards.idsOf(this.docs);
  }
}

/** Data shared by all stages of one search. */
export interface SearchScope {
  readonly viewer: Viewer;
  /** `subject.cardId` is the surviving card's id, and `filter` also excludes the survivors of excluded cards. */
  readonly request: SearchRequest;
  /** The subject's card; null for a text, and if the viewer has none. */
  readonly card: Card | null;
  /** The request's filter, without the card that is searched from. */
  readonly filter: CardFilter;
  /** The cards that this filter lets through. */
  readonly matches: FilterBitmap;
  readonly index: LexicalIndex;
  /** The tenant's. */
  readonly vocabulary: Vocabulary;
  /** The live one, and its model: a query is embedded by that model and no other. */
  readonly generation: Generation;
  readonly embedder: Embedder;
  /** Names the model if it is missing. */
  readonly degraded: readonly Degradation[];
}

export interface ScopeParts {
  readonly cards: MergeableCards;
  readonly ledger: Pick<IndexLedger, 'live' | 'counts'>;
  readonly embedders: Pick<EmbedderSource, 'of' | 'current'>;
  /** The lexical index of the cards that a viewer may see. */
  readonly indexes: { of(viewer: Viewer, signal: AbortSignal): Promise<LexicalIndex> };
  readonly vocabularies: { of(tenantId: string, signal: AbortSignal): Promise<Vocabulary> };
}

/** The card that a search is from: it is neither a hit nor votes. */
export function ownCard(subject: SearchSubject): string | undefined {
  return subject.kind === 'text' ? subject.leaveOut : subject.cardId;
}

/** UnavailableError without a live generation, and without its model if only vectors are compared. */
export async function scopeOf(
  { cards, ledger, embedders, indexes, vocabularies }: ScopeParts,
  viewer: Viewer,
  given: SearchRequest,
  signal: AbortSignal,
): Promise<SearchScope> {
  const index = await indexes.of(viewer, signal);
  const { subject } = given;
  // An indexed card is no merged one, or the SQL condition finds that it is one by now.
  const unindexed = (given.filter.excludeCardIds ?? []).filter((id) => index.cards.revisionOf(id) === 0);
  const ids = subject.kind === 'text' ? unindexed : [subject.cardId, ...unindexed];
  const [live, vocabulary, named] = await Promise.all([
    ledger.live(viewer.tenantId, signal),
    vocabularies.of(viewer.tenantId, signal),
    ids.length === 0 ? new Map<string, Card>() : cardsByGivenIds(cards, viewer, ids, signal),
  ]);
  const card = (subject.kind === 'text' ? undefined : named.get(subject.cardId)) ?? null;
  const request = {
    ...given,
    subject: card === null ? subject : { kind: 'card' as const, cardId: card.id },
    filter: excluding(given.filter, survivorsOf(unindexed, named)),
  };
  const generation = live ?? (await emptyGeneration(ledger, embedders, viewer));
  if (generation === null) {
    throw new UnavailableError('index', 'it is being built for the first time; indexStatus shows the progress');
  }
  const ofIndex = embedders.of(generation.modelKey);
  const missing = `it was built with the model ${generation.modelKey}, which this gateway does not have; it is being rebuilt`;
  if (ofIndex === null && request.lexicalShare === 0) throw new UnavailableError('index', missing);
  const reason = `${missing}, and until then texts are compared without vectors`;
  const degraded = ofIndex === null ? [{ part: 'index', reason }] : [];
  const embedder = ofIndex ?? withoutVectors(embedders.current);
  const own = ownCard(request.subject);
  const filter = excluding(request.filter, own === undefined ? [] : [own]);
  const matches = new FilterBitmap(index, filter, vocabulary);
  return { viewer, request, card, filter, matches, index, vocabulary, generation, embedder, degraded };
}

/** The ids of the cards into which cards with these ids were merged. */
function survivorsOf(ids: readonly string[], named: ReadonlyMap<string, Card>): readonly string[] {
  return ids.map((id) => named.get(id)?.id ?? id).filter((id) => !ids.includes(id));
}

function excluding(filter: CardFilter, cardIds: readonly string[]): CardFilter {
  return cardIds.length === 0 ? filter : { ...filter, excludeCardIds: [...(filter.excludeCardIds ?? []), ...cardIds] };
}

/**
 * Stands in for the model of an index that an earlier version of the gateway has built. It has the name of the built-in
 * embedder, which compares words too, because thresholds depend on it.
 */
function withoutVectors(current: Embedder): Embedder {
  return {
    model: { name: 'builtin', dims: 0, dtype: 'none', version: 0 },
    maxChars: current.maxChars,
    lowestCosine: null,
    embeds: (text) => current.embeds(text),
    embed: () => Promise.resolve([]),
  };
}

/** Of the index of a tenant without cards; those of others begin with 1. */
export const NO_GENERATION = 0;

/**
 * A tenant gets its first generation with its first card: before, a search is one of an empty index. Null if it has
 * cards.
 */
async function emptyGeneration(
  ledger: Pick<IndexLedger, 'counts'>,
  { current }: Pick<EmbedderSource, 'current'>,
  viewer: Viewer,
): Promise<Generation | null> {
  const { cards } = await ledger.counts({ ...viewer, role: 'admin' });
  return cards > 0
    ? null
    : { tenantId: viewer.tenantId, number: NO_GENERATION, modelKey: modelKey(current.model), state: 'live' };
}

/** The same search as if these cards did not match. */
export function withoutCards<T extends SearchScope>(scope: T, cardIds: Iterable<string>): T {
  const filter = excluding(scope.filter, [...cardIds]);
  return { ...scope, filter, matches: new FilterBitmap(scope.index, filter, scope.vocabulary) };
}
