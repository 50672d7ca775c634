/**
 * The interfaces between the core (domain, search, indexing) and its edges (prisma/, chroma/, models/, vectors/).
 * Each port is what the core needs and nothing more; app.ts passes the implementations by constructor.
 */
import type { Card, CardChange, NewCard } from './domain/card.js';
import type { ByPerspective, Perspective } from './domain/perspective.js';
import type { CardFilter, SearchRequest, SearchResult, TagSuggestion } from './domain/search.js';
import type { Caller, Viewer } from './domain/viewer.js';
import type { UnavailableError } from './errors.js';

// --- models ------------------------------------------------------------------------------------------------------

/** What makes two vectors comparable; vectors of two identities never meet. */
export interface ModelIdentity {
  /** `builtin`, the model's Hugging Face id, or `openai:` and what the endpoint calls it. */
  readonly name: string;
  readonly dims: number;
  readonly dtype: string;
  /** Grows when the same texts would give other vectors. */
  readonly version: number;
}

/** The identity as one string: `builtin:512:f32:1`. */
export function modelKey(model: ModelIdentity): string {
  return [model.name, model.dims, model.dtype, model.version].join(':');
}

/** A text that is searched for, or one that is searched in: some models embed them differently. */
export type TextKind = 'query' | 'passage';

/** A model that turns texts into vectors. */
export interface Embedder {
  readonly model: ModelIdentity;
  /** The longest text that one vector can stand for, in characters. */
  readonly maxChars: number;
  /** Where the cosines of this model begin, 0 .. 1, whatever two texts have in common; null where its authors do not say. */
  readonly lowestCosine: number | null;
  /** Whether the text has anything to embed; a text of only punctuation may have nothing. */
  embeds(text: string): boolean;
  /**
   * One unit vector a text (`Float32Array[dims]`), in order; the same text always gives the same vector, up to the rounding
   * of 32-bit floats where it was computed in other company.
   */
  embed(
    texts: readonly string[],
    kind: TextKind,
    perspective: Perspective,
    signal: AbortSignal,
  ): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

// --- who asks ----------------------------------------------------------------------------------------------------

/** Says who asks. */
export interface Authenticator {
  /**
   * The caller whom the value of an Authorization header shows. UnauthenticatedError where it shows nobody; UnavailableError
   * (`auth`) where that cannot be found out now.
   */
  authenticate(authorization: string | undefined): Promise<Caller>;
}

/** A key to the API as people may see it. */
export interface ApiKey extends Caller {
  /** The part of the key by which it is found; no secret. */
  readonly id: string;
  /** What it is for, in the words of whoever made it. */
  readonly name: string;
  readonly createdAt: Date;
  /** To the minute. */
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A key as it is made; null: it does not expire. */
export interface NewApiKey extends Caller {
  readonly id: string;
  readonly name: string;
  readonly secretSha256: Uint8Array;
  readonly expiresAt: Date | null;
}

/** What a key is checked against. */
export interface UsableApiKey {
  readonly caller: Caller;
  readonly secretSha256: Uint8Array;
  /** That it was used within the last minute is written down already. */
  readonly usedLately: boolean;
}

/** The keys to the API, of all tenants. Secrets are never stored. */
export interface ApiKeyStore {
  create(key: NewApiKey): Promise<ApiKey>;
  /** Newest first; of one tenant, or of all where that is null. */
  list(tenantId: string | null): Promise<readonly ApiKey[]>;
  /** From now on it lets nobody in. False where there is no such key; one that was revoked before stays so. */
  revoke(id: string): Promise<boolean>;
  /** Null where there is no such key, or it has expired or was revoked. */
  usable(id: string): Promise<UsableApiKey | null>;
  /** Writes down that the key was used just now. */
  used(id: string): Promise<void>;
}

/** How often a text's vector was known, and how often it had to be computed, since the start. */
export interface CacheHits {
  readonly hits: number;
  readonly misses: number;
}

/**
 * The models at hand. While an index of another model still answers, its model is here too: a query is embedded by the model
 * of the vectors that it is compared with, and by no other.
 */
export interface EmbedderSource {
  /** The one that the settings name: new indexes are of it. */
  readonly current: Embedder;
  /** The embedder whose {@link modelKey} this is; null where this gateway cannot make such vectors. */
  of(modelKey: string): Embedder | null;
  /** No index is of this model any more: what is kept for it is given up. The current one stays. */
  retire(modelKey: string): Promise<void>;
  /** Of all models together. */
  readonly cacheHits: CacheHits;
}

/** A model that reads a query and a text together and says how well they fit. */
export interface Reranker {
  /** `Xenova/bge-reranker-base:q8` */
  readonly name: string;
  /**
   * One raw logit a text, in order; above 0 where they fit better than not. UnavailableError (`reranker`) where the model is
   * away, the signal's reason once it aborts.
   */
  score(query: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
}

// --- prisma ------------------------------------------------------------------------------------------------------

/** Which page of a list is wanted. */
export interface PageRequest {
  /** 1 .. 100 */
  readonly first: number;
  readonly after: string | null;
}

/** A page of cards with what a client needs to go on. */
export interface CardPage {
  readonly edges: readonly { readonly cursor: string; readonly card: Card }[];
  readonly hasNextPage: boolean;
  readonly totalCount: number;
}

/** A value and how many cards carry it. */
export interface FacetCount {
  readonly value: string;
  readonly count: number;
}

/** How many of the viewer's cards carry each value; most frequent first, then by value. */
export interface CardFacets {
  readonly total: number;
  readonly subject: readonly FacetCount[];
  readonly grade: readonly FacetCount[];
  readonly difficulty: readonly FacetCount[];
  readonly topicTag: readonly FacetCount[];
  readonly errorType: readonly FacetCount[];
}

/** What tells a change that is asked for again from another one. */
export interface RequestKey {
  /** The owner's own, whatever others call theirs. */
  readonly key: string;
  /** All that the change depends on. */
  readonly body: string;
}

/**
 * The cards as PostgreSQL keeps them. Every change and its outbox row commit together or not at all. A change with a request
 * key is made at most once in 24 hours: asked for again, it is answered with the card as it is now (NotFoundError where it
 * is gone), and ConflictError where the key came with another body. Once its signal aborts, a reading rejects with the signal's
 * reason, and the server gives it up; a change that has not come to its commit by then is not made.
 */
export interface CardStore {
  /** ConflictError where the id exists in the tenant. */
  create(viewer: Viewer, card: NewCard, request?: RequestKey | null, signal?: AbortSignal): Promise<Card>;
  /**
   * NotFoundError; ForbiddenError where the viewer may see the card and not change it; ConflictError where
   * `expectedRevision` is given and no longer true.
   */
  update(
    viewer: Viewer,
    id: string,
    change: CardChange,
    expectedRevision: number | null,
    request?: RequestKey | null,
    signal?: AbortSignal,
  ): Promise<Card>;
  /** False where there was no such card for this viewer. ForbiddenError as for a change. */
  delete(viewer: Viewer, id: string, request?: RequestKey | null, signal?: AbortSignal): Promise<boolean>;
  /** The viewer's cards among `ids`, by id, in one fixed number of statements; absent and foreign ones are missing. */
  byIds(viewer: Viewer, ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Card>>;
  /** Newest first (createdAt, then id). BadInputError (`after`) for a cursor that this filter and viewer did not give. */
  page(viewer: Viewer, filter: CardFilter, page: PageRequest, signal?: AbortSignal): Promise<CardPage>;
  facets(viewer: Viewer, filter: CardFilter, signal?: AbortSignal): Promise<CardFacets>;
}

/** The cards of one viewer, as the words of a notebook follow them. */
export interface OwnCards extends Pick<CardStore, 'byIds'> {
  /** Every card that the viewer may see, by id, with what differs between any two versions of a card. */
  versions(viewer: Viewer): Promise<ReadonlyMap<string, string>>;
}

/** A card that may be answered, and the revision that its index records are of. */
export type Admitted = ReadonlyMap<string, number>;

/** How selective a filter is, as far as a planner needs to know. */
export interface FilterMatch {
  /** How many of the viewer's cards match. */
  readonly matched: number;
  /** Every match that is indexed; null where more match than the limit. */
  readonly all: Admitted | null;
}

/** Which indexed cards a viewer's filter lets through; always what PostgreSQL says now. */
export interface CardFilterStore {
  /** `all` where at most `limit` cards match. */
  matching(
    viewer: Viewer,
    filter: CardFilter,
    generation: number,
    limit: number,
    signal: AbortSignal,
  ): Promise<FilterMatch>;
  /** Those of `ids` that the filter lets through. */
  admit(
    viewer: Viewer,
    filter: CardFilter,
    generation: number,
    ids: readonly string[],
    signal: AbortSignal,
  ): Promise<Admitted>;
}

/** One version of a tenant's index: its own four collections. */
export interface Generation {
  readonly tenantId: string;
  /** 1, 2, ... */
  readonly number: number;
  readonly modelKey: string;
  readonly state: 'building' | 'live' | 'retired';
}

/** What the index holds of one card in one generation; the hashes of its passages, in order, by perspective. */
export interface IndexedCard {
  readonly revision: number;
  readonly indexedAt: Date;
  readonly passages: ByPerspective<readonly string[]>;
}

/** How far the index is with one card, as its owner may see it. */
export interface CardIndexState {
  readonly state: 'PENDING' | 'INDEXED' | 'FAILED';
  readonly indexedRevision: number | null;
  readonly indexedAt: Date | null;
  readonly perspectives: readonly Perspective[];
  readonly lastError: string | null;
}

/** One claimed outbox row: card X changed, somehow. */
export interface DirtyCard {
  readonly tenantId: string;
  readonly cardId: string;
  readonly seq: bigint;
  readonly token: string;
  /** How often it has been claimed, this claim included. */
  readonly attempts: number;
}

/** The outcome of indexing a claimed card in one generation; null where the card no longer exists. */
export interface IndexedOutcome {
  readonly generation: number;
  readonly indexed: IndexedCard | null;
}

/** A claim and what indexing it came to in each generation. */
export interface IndexedClaim {
  readonly claim: DirtyCard;
  readonly outcomes: readonly IndexedOutcome[];
}

/** What still waits to be indexed, of all tenants. */
export interface Backlog {
  readonly waiting: number;
  /** Given up until they change. */
  readonly failed: number;
  /** How long the one that waits longest has been due; 0 where none is. */
  readonly lagMs: number;
}

/** The outbox (a dirty set, one row a card). Leases use the database's clock. */
export interface Outbox {
  /** Claims up to `limit` due rows for `leaseMs`, single changes before bulk ones, each with a fresh token. */
  claim(limit: number, leaseMs: number): Promise<readonly DirtyCard[]>;
  /**
   * For each claim that still stands: records the outcomes and removes the row, unless something newer has come; otherwise
   * leaves or makes the card dirty, so that it is indexed again. One transaction for all.
   */
  done(results: readonly IndexedClaim[]): Promise<void>;
  /** Gives claims back untouched (shutdown, or a part that is away): attempts are not counted. */
  release(claims: readonly DirtyCard[]): Promise<void>;
  /** Gives back every claim there is; for the one gateway that can be at work, whose predecessor left them. */
  releaseAll(): Promise<void>;
  /** Keeps the error and makes the row due again after `retryAfterMs`, or dead where that is null. */
  fail(claim: DirtyCard, error: string, retryAfterMs: number | null): Promise<void>;
  /** Called after each commit that made a card dirty, until the returned function is called. */
  onDirty(listener: () => void): () => void;
}

/** Which version of a card it is. A database that was restored from a backup may give a revision out again. */
export interface CardVersion {
  readonly revision: number;
  readonly updatedAtMs: number;
}

/** What the index knows, kept in PostgreSQL beside the cards. */
export interface IndexLedger {
  /** The cards as they are now, whoever owns them; deleted ones are missing. */
  cards(tenantId: string, ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Card>>;
  /** Every card of the tenant and its version, by id. */
  versions(tenantId: string): Promise<ReadonlyMap<string, CardVersion>>;
  indexed(
    tenantId: string,
    generation: number,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, IndexedCard>>;
  /**
   * Every generation of every tenant that is not yet dropped. A retired one is named only some seconds after it retired:
   * searches that began before may still read it.
   */
  generations(): Promise<readonly Generation[]>;
  live(tenantId: string, signal?: AbortSignal): Promise<Generation | null>;
  /** Starts a building generation and makes every card of the tenant dirty, as bulk; the running one, where there is one. */
  startGeneration(tenantId: string, modelKey: string): Promise<Generation>;
  /** Makes the building generation live if it lacks no card, at once for all readers; false where it still lacks some. */
  promote(tenantId: string, generation: number): Promise<boolean>;
  /** Forgets a generation that is not live, after its collections are gone. */
  dropGeneration(tenantId: string, generation: number): Promise<void>;
  /** How many of the tenant's cards the generation holds, in whatever revision, and how many there are. */
  progress(tenantId: string, generation: number): Promise<{ readonly held: number; readonly cards: number }>;
  states(viewer: Viewer, ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, CardIndexState>>;
  counts(viewer: Viewer): Promise<IndexCounts>;
}

/** What PostgreSQL says of one card, for comparing one generation with it. */
export interface AuditedCard {
  readonly cardId: string;
  /** The card's revision; null where there is no such card. */
  readonly revision: number | null;
  /** What the generation should hold of it; null where it holds nothing that the ledger knows of. */
  readonly indexed: Pick<IndexedCard, 'revision' | 'passages'> | null;
  /** True where the card is dirty or was given up: the index need not agree with it now. */
  readonly waiting: boolean;
}

/** The ledger as reconciliation reads it, and the outbox as it fills it. */
export interface IndexAudit {
  /** Every card of the tenant, and every one that the generation holds or should forget, by id, from behind `after` on. */
  page(tenantId: string, generation: number, after: string, limit: number): Promise<readonly AuditedCard[]>;
  /** The same of those among `ids`; those that are in neither, and do not wait, are missing. */
  cards(tenantId: string, generation: number, ids: readonly string[]): Promise<ReadonlyMap<string, AuditedCard>>;
  /** Makes the cards dirty, as bulk: single changes go first. A card that was given up stays given up. */
  mark(tenantId: string, cardIds: readonly string[]): Promise<void>;
  /** Lets cards that were given up at least `restMs` ago have one more attempt. */
  revive(tenantId: string, restMs: number): Promise<number>;
}

/** A card of which the index has changed, as it is now. */
export interface ChangedCard {
  readonly tenantId: string;
  readonly cardId: string;
  /** Tells this change from the card's next one. */
  readonly transaction: bigint;
  /** Null where the card is deleted. */
  readonly version: CardVersion | null;
  /** The tenant's live generation; null where there is none. */
  readonly generation: number | null;
  /** The revision that the live generation holds; null where it holds none. */
  readonly indexedRevision: number | null;
}

/** A place in the changes, and when it was taken. */
export interface ChangesPosition {
  readonly transaction: bigint;
  /** By the database's clock. */
  readonly atMs: number;
}

/** What has changed since a position, and from where to ask next. */
export interface ChangesSeen {
  readonly position: ChangesPosition;
  /** Some of them may have been named before: what has changed since the next position is named again. */
  readonly cards: readonly ChangedCard[];
}

/** What the gateways on one database have indexed, for those among them that follow. */
export interface IndexChanges {
  /** From where to ask for all that is not visible now. */
  position(): Promise<ChangesPosition>;
  /** Every card whose indexing was completed, or that was deleted, in a transaction that was not visible at the position. */
  since(position: ChangesPosition): Promise<ChangesSeen>;
  /** Gives up changes that are older: who has not asked for so long must compare everything. */
  forget(olderThanMs: number): Promise<void>;
  /**
   * Calls `onChange` soon after each change, and once when it has begun to listen. Resolves when the signal aborts or the
   * server ends the connection; UnavailableError (`database`) where it is lost or cannot be made.
   */
  listen(onChange: () => void, signal: AbortSignal): Promise<void>;
}

/** How many of the viewer's cards are in which state. */
export interface IndexCounts {
  readonly cards: number;
  /** Cards whose current revision is in the live generation. */
  readonly indexed: number;
  readonly pending: number;
  readonly failed: number;
}

// --- chroma ------------------------------------------------------------------------------------------------------

/** Names one collection: a tenant's perspective in one generation. */
export interface CollectionKey {
  readonly tenantId: string;
  readonly generation: number;
  readonly perspective: Perspective;
}

/** One passage of a card, as it is written. */
export interface PassageRecord {
  readonly card: Card;
  /** 0, 1, ... within the card's perspective. */
  readonly passage: number;
  readonly contentHash: string;
  /** Null: the record's vector stays, only its metadata changes. */
  readonly vector: Float32Array | null;
}

/** A card that lies near a query in one collection. */
export interface Neighbour {
  readonly cardId: string;
  /** Cosine similarity as Chroma computes it, for ordering only. */
  readonly similarity: number;
}

/** The dense lanes' view of the index. */
export interface VectorReader {
  /** The nearest passages' cards, each once with its best passage, best first; at most `limit` passages are looked at. */
  nearest(key: CollectionKey, vector: Float32Array, limit: number, signal: AbortSignal): Promise<readonly Neighbour[]>;
  /** The stored records, by record id; missing ones are missing. */
  read(
    key: CollectionKey,
    recordIds: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, StoredRecord>>;
}

/** The index manager's view of the index. Every write may be repeated. */
export interface VectorWriter {
  upsert(key: CollectionKey, records: readonly PassageRecord[]): Promise<void>;
  remove(key: CollectionKey, recordIds: readonly string[]): Promise<void>;
  /** Removes every record of the cards, whatever their number. */
  removeCards(key: CollectionKey, cardIds: readonly string[]): Promise<void>;
}

/** The collections themselves, four a generation. */
export interface Collections {
  /** Makes those of the generation that do not exist yet. */
  create(generation: Generation, model: ModelIdentity): Promise<void>;
  /** Removes those of the generation that exist. */
  drop(generation: Generation): Promise<void>;
  /** Answers when all four of the generation can be queried; IndexLostError where one is missing or damaged. */
  probe(generation: Generation, model: ModelIdentity): Promise<void>;
  /** The records in one collection; IndexLostError where there is none. */
  count(key: CollectionKey): Promise<number>;
}

/** What a record says of itself; '' and 0 where it does not. */
export interface RecordLabel {
  readonly contentHash: string;
  readonly revision: number;
  readonly tenantId: string;
}

/** The index as reconciliation looks through it. */
export interface RecordInspector {
  /** Record ids of the collection, `limit` from the place `offset` on; none behind the last. Whatever their form. */
  list(key: CollectionKey, offset: number, limit: number): Promise<readonly string[]>;
  /** What the records say of themselves, by record id; missing ones are missing. */
  labels(key: CollectionKey, recordIds: readonly string[]): Promise<ReadonlyMap<string, RecordLabel>>;
  /** Makes those of the records that there are say that they are of no text: their vectors are written anew with their card. */
  disown(key: CollectionKey, recordIds: readonly string[]): Promise<void>;
}

/** The id of a record: no card id holds a `#`. */
export function recordId(cardId: string, passage: number): string {
  return `${cardId}#${passage}`;
}

// --- vectors -----------------------------------------------------------------------------------------------------

/** A passage's vector (`Float32Array[dims]`, unit length). */
export interface PassageVector {
  readonly vector: Float32Array;
}

/** A passage's vector and the hash of the text that it stands for. */
export interface StoredPassage extends PassageVector {
  readonly contentHash: string;
}

/** A passage as a collection holds it. */
export interface StoredRecord extends StoredPassage {
  /** The revision of the card that the record's metadata are of. */
  readonly revision: number;
}

/** The vectors of one card's passages, in order, by perspective, and the revision of the card that they are of. */
export interface CardVectors {
  readonly revision: number;
  readonly passages: ByPerspective<readonly PassageVector[]>;
}

/** A card's vectors in a form that is compared as it is; `passages` unpacks them anew whenever it is read. */
export interface ComparableVectors extends CardVectors {
  /**
   * The cosine similarity, 0 .. 1, of the best pair of a query vector (unit length) and a passage of the perspective; null
   * where there is no such pair.
   */
  similarity(perspective: Perspective, queries: readonly Float32Array[]): number | null;
}

/** All vectors of one generation that are at hand, in a form that is compared with a query at once. */
export interface VectorColumns {
  /** How many cards there are. */
  readonly size: number;
  /** How often a card was set or deleted so far; a card's number changes with it. */
  readonly changes: number;
  /** By number; '' where there is no card. */
  readonly cardIds: readonly string[];
  /** Whether the card of this number has a passage of the perspective. */
  has(perspective: Perspective, card: number): boolean;
  /**
   * Adds to `sums`, by number, `weight` times the cosine similarity, 0 .. 1, of the best pair of a query vector and a passage of
   * the perspective, as far as 32-bit values tell; nothing where there is no such pair.
   */
  addSimilarities(
    perspective: Perspective,
    query: { readonly vectors: readonly Float32Array[]; readonly weight: number },
    sums: Float64Array,
  ): void;
}

/** Where all vectors of a generation may be at hand together. */
export interface VectorColumnsSource {
  /** Those that are here; null where they are not such that they could be compared at once. */
  columns(tenantId: string, generation: number): VectorColumns | null;
}

/** The vectors of indexed cards, wherever they are kept. */
export interface VectorSource {
  /** The vectors of `cards` (card id -> indexed revision). */
  of(
    tenantId: string,
    generation: number,
    cards: ReadonlyMap<string, number>,
    signal: AbortSignal,
  ): Promise<VectorsRead>;
}

/** What came of asking for vectors. */
export interface VectorsRead {
  /** A card whose records are lost, or being written just now, is missing. */
  readonly vectors: ReadonlyMap<string, ComparableVectors>;
  /** Why cards are missing that were not at hand: the server that has them did not answer. Null where that is not so. */
  readonly failure: UnavailableError | null;
}

/** The local copy of the stored vectors, for exact scores. Rebuildable from Chroma. */
export interface VectorCache {
  get(tenantId: string, generation: number, cardId: string): ComparableVectors | undefined;
  put(tenantId: string, generation: number, entries: ReadonlyMap<string, CardVectors>): Promise<void>;
  remove(tenantId: string, generation: number, cardIds: readonly string[]): Promise<void>;
  drop(tenantId: string, generation: number): Promise<void>;
  /** Those of which there is anything. */
  generations(): readonly Pick<Generation, 'tenantId' | 'number'>[];
  close(): Promise<void>;
}

// --- lexical -----------------------------------------------------------------------------------------------------

/** The write path's view of the words and labels that are matched. Every write may be repeated; none waits. */
export interface LexicalWriter {
  set(tenantId: string, cards: Iterable<Card>): void;
  remove(tenantId: string, cardIds: Iterable<string>): void;
}

/** A tenant's words and labels as they were at one moment: parts in a fixed order that only the index itself can read. */
export interface WordsCopy {
  readonly strings: readonly (readonly string[])[];
  readonly numbers: readonly (Uint32Array | Uint16Array | Float64Array)[];
}

/** Making copies of the words that are matched, and taking them back. */
export interface LexicalCopies {
  /** The tenants that have words, or were asked for. */
  tenants(): readonly string[];
  /** How many cards of the tenant there are. */
  size(tenantId: string): number;
  /** How often a card was set or removed since the tenant's words were begun or restored. */
  changes(tenantId: string): number;
  /** The words as they are at this moment. */
  copy(tenantId: string): WordsCopy;
  /** Takes back those cards that are of exactly the versions given, a step at a time. RangeError where the copy is none. */
  restore(tenantId: string, copy: WordsCopy, versions: ReadonlyMap<string, CardVersion>): Generator<void>;
  /** The ids of those cards that are not here in exactly the version given. */
  lacking(tenantId: string, versions: ReadonlyMap<string, CardVersion>): readonly string[];
  /** The ids of the tenant's cards that are here and not among the versions given, or in a later revision: a set would not replace it. */
  surplus(tenantId: string, versions: ReadonlyMap<string, CardVersion>): readonly string[];
}

/** Where copies of the words are kept, so that a start need not make them anew. Whatever is lost there costs time only. */
export interface WordsStore {
  /** What was written last and is whole; null, and a line in the log where there was something, in any other case. */
  read(tenantId: string): Promise<WordsCopy | null>;
  /** Replaces what there was, at once or not at all. */
  write(tenantId: string, copy: WordsCopy): Promise<void>;
}

// --- what the API calls ------------------------------------------------------------------------------------------

/** The read path, as the API calls it. */
export interface SearchEngine {
  /**
   * The cards of the viewer that are most like the subject, with the reasons and a receipt. NotFoundError for a card
   * that the viewer does not have; BadInputError (`cardId`) for a card without any text in the perspectives asked for;
   * UnavailableError where no lane could answer.
   */
  search(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<SearchResult>;
}

/** What the notebook knows of labels, as the API asks. */
export interface TagSuggester {
  /** The topic tags and error types that a text may deserve, at most `first`, best first. BadInputError (`text`). */
  suggest(viewer: Viewer, text: string, first: number, signal: AbortSignal): Promise<readonly TagSuggestion[]>;
}

/** What the last look through the live index came to. Cards are counted, each once a kind. */
export interface Reconciliation {
  readonly finishedAt: Date;
  /** How many cards were compared with what the index holds of them. */
  readonly cards: number;
  /** Cards of which the index lacked a record. */
  readonly missing: number;
  /** Cards of which a record was not of the card as it is, or had another vector than was written. */
  readonly stale: number;
  /** Cards of which the index held a record that they no longer have, most of them deleted. */
  readonly ghosts: number;
  /** Cards whose own vectors were asked for their neighbours. */
  readonly probed: number;
  /** Those of them that their own vector did not find. */
  readonly unreachable: number;
  /** Cards that were marked to be indexed anew; what is left is found again next time. */
  readonly repaired: number;
}

/** How far the index is, as an operator asks. */
export interface IndexStatus extends IndexCounts {
  /** The model of the live generation, as {@link modelKey} writes it; null before the first card. */
  readonly model: string | null;
  /** True while a new generation is being built beside the live one. */
  readonly building: boolean;
  /** What this gateway last found when it compared the index with the cards; null before, and for a viewer who may not see all cards. */
  readonly reconciliation: Reconciliation | null;
  /** That generation: its model, and how many of the tenant's cards it holds already; null where none is being built, and for a viewer who may not see all cards. */
  readonly next: { readonly model: string; readonly held: number; readonly cards: number } | null;
  /** None for a viewer who may not see all cards. `records` is null while Chroma does not answer. */
  readonly collections: readonly { readonly perspective: Perspective; readonly records: number | null }[];
}

/** The write path, as the API calls it. */
export interface IndexControl {
  /** Resolves when the index has this revision of the card, or none of it where it was deleted (null), or after `deadlineMs`. */
  waitFor(tenantId: string, cardId: string, revision: number | null, deadlineMs: number): Promise<void>;
  status(viewer: Viewer): Promise<IndexStatus>;
  /** Begins to build the tenant's index anew beside the live one, which keeps answering until the new one is complete. */
  rebuild(viewer: Viewer): Promise<void>;
}
