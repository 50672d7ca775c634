/** What PostgreSQL records about the index. */
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
}

/** When a generation begins, and what is done before it does. */
export interface GenerationStart {
  /**
   * Begin only while this generation is live or building; null: only while the tenant has neither. Left out: in any case. So of
   * two gateways that find the same reason for a new generation, one begins it, however late the other one comes.
   */
  readonly replaces?: number | null;
  /**
   * Makes the collections of the generation, within ten minutes, whatever is already there under its number. Nobody sees the
   * generation and nobody else gets its number before this ends, and it does not begin where this throws.
   */
  readonly prepare?: (reserved: Generation) => Promise<void>;
}

/** The tenant's building generation, or the live one that made another unnecessary, and whether this call began it. */
export interface StartedGeneration {
  readonly generation: Generation;
  readonly isNew: boolean;
}

/** What the index holds of one card in one generation; the hashes of its passages, in order, by perspective. */
export interface IndexedCard {
  readonly revision: number;
  readonly indexedAt: Date;
  readonly passages: ByPerspective<readonly string[]>;
}

/** The state of one card in the index, as its owner may see it. */
export interface CardIndexState {
  readonly state: 'PENDING' | 'INDEXED' | 'FAILED';
  readonly indexedRevision: number | null;
  readonly indexedAt: Date | null;
  readonly perspectives: readonly Perspective[];
  readonly lastError: string | null;
}

/** Identifies a version of a card. A database that was restored from a backup may use a revision again. */
export interface CardVersion {
  readonly revision: number;
  readonly updatedAtMs: number;
}

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
   * Every generation of every tenant that is not yet dropped. A retired one is included only some seconds after it retired:
   * searches that began before may still read it.
   */
  generations(): Promise<readonly Generation[]>;
  live(tenantId: string, signal?: AbortSignal): Promise<Generation | null>;
  /**
   * Begins a building generation for the model and makes every card of the tenant dirty, as bulk; one that is being built for
   * another model retires. Answers the one that is being built for this model, where there is one.
   */
  startGeneration(tenantId: string, modelKey: string, options?: GenerationStart): Promise<StartedGeneration>;
  /** Gives up a building generation; no-op for any other. It is listed as retired after the same time as one that was live. */
  retireGeneration(tenantId: string, generation: number): Promise<void>;
  /** Makes the building generation live if it holds every card, at once for all readers; false if cards are missing. */
  promote(tenantId: string, generation: number): Promise<boolean>;
  /** Drops a generation that is not live, after its collections are deleted. */
  dropGeneration(tenantId: string, generation: number): Promise<void>;
  /** How many of the tenant's cards the generation holds, in whatever revision, and how many there are. */
  progress(tenantId: string, generation: number): Promise<{ readonly held: number; readonly cards: number }>;
  states(viewer: Viewer, ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, CardIndexState>>;
  counts(viewer: Viewer): Promise<IndexCounts>;
}

/** What PostgreSQL knows of one card, for comparing one generation with it. */
export interface AuditedCard {
  readonly cardId: string;
  /** Null if there is no such card. */
  readonly revision: number | null;
  /** What the generation should hold of it; null: nothing. */
  readonly indexed: Pick<IndexedCard, 'revision' | 'passages'> | null;
  /** True if the card is dirty or was given up: the index need not agree with it now. */
  readonly waiting: boolean;
}

/** What a tenant's cards, and what a generation should hold of them, add up to. */
export interface IndexTotals {
  /** The same as long as neither has changed. */
  readonly state: string;
  /** How many records each collection should have. */
  readonly records: ByPerspective<number>;
}

/** The ledger and the outbox for reconciliation. */
export interface IndexAudit {
  totals(tenantId: string, generation: number): Promise<IndexTotals>;
  /** Every card of the tenant, and every one that the generation holds or should forget, by id, from behind `after` on. */
  page(tenantId: string, generation: number, after: string, limit: number): Promise<readonly AuditedCard[]>;
  /** The same of those among `ids`; those that are in neither, and do not wait, are missing. */
  cards(tenantId: string, generation: number, ids: readonly string[]): Promise<ReadonlyMap<string, AuditedCard>>;
  /** Makes the cards dirty, as bulk: single changes go first. A card that was given up stays given up. */
  mark(tenantId: string, cardIds: readonly string[]): Promise<void>;
  /** Lets cards that were given up at least `restMs` ago have one more attempt. */
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
