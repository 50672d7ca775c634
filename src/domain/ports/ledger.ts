/** Port: PostgreSQL's record of what is indexed. */
import type { Card } from '../card.js';
import type { ByPerspective, Perspective } from '../perspective.js';
import type { Viewer } from '../viewer.js';

/** One version of a tenant's index: its own four collections. */
export interface Generation {
  readonly tenantId: string;
  /** 1, 2, ... */
  readonly number: number;
  readonly modelKey: string;
  readonly state: 'building' | 'live' | 'retired';
  /** False: its vectors are in PostgreSQL, not in Chroma. */
  readonly inChroma?: boolean;
}

/** All conditions that are given must hold. */
export interface GenerationFilter {
  readonly tenantId?: string;
  readonly modelKey?: string;
  readonly notOfModel?: string;
  /** Those being built, and retired ones. */
  readonly unsettled?: true;
}

export interface GenerationStart {
  /** Whether its vectors go to Chroma (the default) or to PostgreSQL; fixed for a generation. */
  readonly inChroma?: boolean;
  /**
   * Start only if this generation is live or building; null: only if the tenant has neither; undefined: always. So only
   * one of two gateways that find the same reason for a new generation starts it, however late the other one is.
   */
  readonly replaces?: number | null;
  /**
   * Creates the collections of the generation, within ten minutes, and replaces existing ones of its number. The
   * generation is invisible, and its number reserved, until this resolves; if it throws, the generation does not start.
   */
  readonly prepare?: (reserved: Generation) => Promise<void>;
  /** Told why some cards could not be marked once the generation had begun: they are before it would become live. */
  readonly onUnmarked?: (error: unknown) => void;
}

/** The tenant's building generation, or the live one if no other is needed, and whether this call started it. */
export interface StartedGeneration {
  readonly generation: Generation;
  readonly isNew: boolean;
}

/** One card's entry in one generation; hashes of its passages, in order, by perspective. */
export interface IndexedCard {
  readonly revision: number;
  readonly indexedAt: Date;
  readonly passages: ByPerspective<readonly string[]>;
}

export interface CardIndexState {
  readonly state: 'PENDING' | 'INDEXED' | 'FAILED';
  readonly indexedRevision: number | null;
  readonly indexedAt: Date | null;
  readonly perspectives: readonly Perspective[];
  readonly lastError: string | null;
}

/** Identifies a version of a card. After a restore from a backup a revision may be used again. */
export interface CardVersion {
  readonly revision: number;
  readonly updatedAtMs: number;
}

export function versionOf(card: { readonly revision: number; readonly updatedAt: Date }): CardVersion {
  return { revision: card.revision, updatedAtMs: card.updatedAt.getTime() };
}

export function isVersion(one: CardVersion | undefined, { revision, updatedAtMs }: CardVersion): boolean {
  return one?.revision === revision && one.updatedAtMs === updatedAtMs;
}

export interface IndexLedger {
  /** The current cards of any owner; deleted ones are missing. */
  cards(tenantId: string, ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Card>>;
  /** Every card of the tenant and its version, by id. */
  versions(tenantId: string): Promise<ReadonlyMap<string, CardVersion>>;
  /** Every card that the generation holds, by id, with its indexed revision. */
  revisions(tenantId: string, generation: number): Promise<ReadonlyMap<string, number>>;
  indexed(
    tenantId: string,
    generation: number,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, IndexedCard>>;
  /**
   * The generations, of every tenant unless one is named, that are not yet dropped, by tenant and number. A retired one
   * is included only some seconds after it retired: searches that started before may still read it.
   */
  generations(filter?: GenerationFilter): Promise<readonly Generation[]>;
  /** The generation that searches read; null before the first is live. */
  live(tenantId: string, signal?: AbortSignal): Promise<Generation | null>;
  /** Whether the vectors of this generation are in Chroma; null if there is none of this number. */
  isInChroma(tenantId: string, generation: number): Promise<boolean | null>;
  /**
   * Whether the tenant has more than this number of cards, or more vectors of a perspective than are kept in
   * PostgreSQL.
   */
  needsChroma(tenantId: string, cards: number): Promise<boolean>;
  /** About the number of records that the largest collection of a new generation will have. */
  expectedRecords(tenantId: string): Promise<number>;
  /** The newest building or live generation, if its vectors are in PostgreSQL and the tenant {@link needsChroma}. */
  outgrown(tenantId: string, cards: number): Promise<number | null>;
  /**
   * Starts a building generation for the model and marks every card of the tenant dirty, behind all other work,
   * many in transactions of their own; a building one of another model is retired. Returns the one that is being built
   * for this model, if there is one.
   */
  startGeneration(tenantId: string, modelKey: string, options?: GenerationStart): Promise<StartedGeneration>;
  /**
   * Retires a building generation; no-op for any other. It is listed as retired after the same time as one that was
   * live.
   */
  retireGeneration(tenantId: string, generation: number): Promise<void>;
  /** Makes the building generation live if it holds every card, at once for all readers; false if cards are missing. */
  promote(tenantId: string, generation: number): Promise<boolean>;
  /** Drops a generation that is not live, after its collections are deleted. */
  dropGeneration(tenantId: string, generation: number): Promise<void>;
  /** Number of the tenant's cards in the generation, in any revision, and of all its cards. */
  progress(tenantId: string, generation: number): Promise<{ readonly held: number; readonly cards: number }>;
  states(viewer: Viewer, ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, CardIndexState>>;
  counts(viewer: Viewer): Promise<IndexCounts>;
}

/** PostgreSQL's state of one card, to compare one generation with. */
export interface AuditedCard {
  readonly cardId: string;
  /** Null if there is no such card. */
  readonly revision: number | null;
  /** Content of the generation by the ledger; null: nothing. */
  readonly indexed: Pick<IndexedCard, 'revision' | 'passages'> | null;
  /** True if the card is dirty or has failed: the index may differ from it. */
  readonly waiting: boolean;
}

/** Totals of a tenant's cards, and of the expected content of a generation. */
export interface IndexTotals {
  /** Changes whenever either changes. */
  readonly state: string;
  /** Expected number of records in each collection. */
  readonly records: ByPerspective<number>;
}

/** The ledger and the outbox for reconciliation. */
export interface IndexAudit {
  totals(tenantId: string, generation: number): Promise<IndexTotals>;
  /** Every card of the tenant, and every one that the generation holds or should remove, by id, after `after`. */
  page(tenantId: string, generation: number, after: string, limit: number): Promise<readonly AuditedCard[]>;
  /** The same for `ids`; missing if they are in neither and do not wait. */
  cards(tenantId: string, generation: number, ids: readonly string[]): Promise<ReadonlyMap<string, AuditedCard>>;
  /** Marks the cards dirty, as a rebuild does, behind all other work. A failed card stays failed. */
  mark(tenantId: string, cardIds: readonly string[]): Promise<void>;
  /** Retries cards that failed for good at least `restMs` ago. */
  revive(tenantId: string, restMs: number): Promise<number>;
}

/** The viewer's cards by state. */
export interface IndexCounts {
  readonly cards: number;
  /** Cards whose current revision is in the live generation. */
  readonly indexed: number;
  readonly pending: number;
  readonly failed: number;
}
