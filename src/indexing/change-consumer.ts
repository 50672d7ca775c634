import { batches } from '../domain/async.js';
import type { GiveWay } from '../domain/background.js';
import { BackgroundLoop } from '../domain/background-loop.js';
import type { Card } from '../domain/card.js';
import { groupedBy } from '../domain/grouped.js';
import type { ChangedCard, ChangeEvents, ChangesPosition, IndexChanges } from '../domain/ports/changes.js';
import type { CardVersion, IndexLedger } from '../domain/ports/ledger.js';
import type { LexicalWriter, TenantIndex } from '../domain/ports/lexical.js';
import type { Log } from '../domain/ports/log.js';
import type { VectorCache, VectorSource } from '../domain/ports/vectors.js';
import { cardsLacking, forgetOutdated, indexCards } from './load-tenant.js';

/** Minimum interval between two polls, so that cards are read in batches. */
const REST_MS = 100;

/** Delay after a failed poll, because its notification is not repeated. */
const RETRY_MS = 1_000;

/** Cards whose vectors are read at once: some 400 records. */
const PAGE = 100;

/**
 * Changes older than this are deleted, as often; a gateway that has not polled for half as long runs a full comparison.
 */
const REMEMBERED_MS = 3_600_000;

export interface ChangeConsumerParts {
  readonly changes: Pick<IndexChanges, 'position' | 'since' | 'forget'>;
  readonly events: ChangeEvents;
  readonly ledger: Pick<IndexLedger, 'cards' | 'generations' | 'versions' | 'revisions'>;
  /** Tenants that are not in memory are compared with PostgreSQL when they are loaded. */
  readonly tenants: LexicalWriter & { opened(tenantId: string): Promise<Pick<TenantIndex, 'cards'> | null> };
  readonly stored: VectorSource;
  readonly cache: Pick<VectorCache, 'cardIds' | 'generations' | 'revision' | 'remove'>;
  readonly background: Pick<GiveWay, 'pause'>;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Applies the index changes of other gateways on the same database to this gateway's lexical indexes and vector cache:
 * after each notification, and periodically. For its own changes it is a no-op.
 *
 * No change can be lost. Each poll starts at the position of the previous one, which precedes everything that was not
 * visible then (see {@link IndexChanges}); the position advances only after all changes have been applied, so that a
 * failed poll is repeated. Cards are always read in their current state, so that order and repetition are harmless: a
 * change that makes a read stale is still ahead in the feed. Vectors that Chroma cannot return now are removed, and
 * read when a search needs them.
 */
export class ChangeConsumer {
  readonly #loop = new BackgroundLoop({
    pass: async () => {
      await this.#catchUp();
      this.#failure = undefined;
      return this.parts.events.pollMs - REST_MS;
    },
    onFailure: (err) => {
      if (err.message !== this.#failure)
        this.parts.log.warn({ err }, 'the change feed cannot be read; it is tried every second');
      this.#failure = err.message;
      return RETRY_MS - REST_MS;
    },
    restMs: REST_MS,
  });
  /** The last failure since the feed was last read: each is logged once. */
  #failure: string | undefined;
  #unsubscribe: (() => void) | undefined;
  #position: ChangesPosition | undefined;
  /** Applied by the last poll; the next one may return them again. */
  #applied: ReadonlySet<string> = new Set();
  #forgotAtMs = 0;

  constructor(private readonly parts: ChangeConsumerParts) {}

  /** Takes the start position: call it before the lexical indexes are loaded. */
  async begin(): Promise<void> {
    this.#position = await this.parts.changes.position();
  }

  start(): void {
    this.#unsubscribe ??= this.parts.events.onChange(this.#loop.wake);
    this.#loop.start();
  }

  /** Waits for the current poll. */
  close(): Promise<void> {
    this.#unsubscribe?.();
    return this.#loop.close();
  }

  async #catchUp(): Promise<void> {
    const { changes } = this.parts;
    const from = this.#position ?? (await changes.position());
    const seen = await changes.since(from);
    // Transaction ids that restart belong to another server: a copy has replaced the previous one.
    const { transaction, atMs } = seen.position;
    const again = transaction < from.transaction;
    if (again || atMs - from.atMs > REMEMBERED_MS / 2) await this.#compareAll();
    const fresh = seen.cards.filter((card) => again || !this.#applied.has(keyOf(card)));
    const cached = groupedBy(fresh.length === 0 ? [] : this.parts.cache.generations(), ({ tenantId }) => tenantId);
    for (const [tenantId, cards] of groupedBy(fresh, ({ tenantId }) => tenantId)) {
      const numbers = (cached.get(tenantId) ?? []).map(({ number }) => number);
      await this.#apply(tenantId, cards, numbers);
    }
    this.#position = seen.position;
    this.#applied = new Set(seen.cards.map(keyOf));
    if (atMs - this.#forgotAtMs < REMEMBERED_MS) return;
    await changes.forget(REMEMBERED_MS);
    this.#forgotAtMs = atMs;
  }

  /** `cached`: the generations with vectors here. */
  async #apply(tenantId: string, cards: readonly ChangedCard[], cached: readonly number[]): Promise<void> {
    const { tenants, cache } = this.parts;
    const index = await tenants.opened(tenantId);
    if (index === null) return;
    const versions = new Map(
      cards.flatMap(({ cardId, version }): [string, CardVersion][] => (version === null ? [] : [[cardId, version]])),
    );
    const idsOf = (is: (card: ChangedCard) => boolean): readonly string[] =>
      cards.filter(is).map(({ cardId }) => cardId);
    const deleted = idsOf(({ version }) => version === null);
    tenants.remove(tenantId, deleted);
    await this.#read(tenantId, cardsLacking(index, versions));
    const generation = cards.find((card) => card.generation !== null)?.generation ?? null;
    // This gateway may have written cards to the one that is being built, too.
    for (const other of cached.filter((number) => number !== generation)) {
      const isOutdated = ({ cardId, version }: ChangedCard): boolean =>
        (cache.revision(tenantId, other, cardId) ?? Number.POSITIVE_INFINITY) <
        (version?.revision ?? Number.POSITIVE_INFINITY);
      await cache.remove(tenantId, other, idsOf(isOutdated));
    }
    if (generation === null) return;
    const indexed = cards.filter(({ indexedRevision }) => indexedRevision !== null);
    const unindexed = idsOf(({ indexedRevision }) => indexedRevision === null);
    await cache.remove(tenantId, generation, unindexed);
    for (const some of batches(indexed, PAGE)) {
      const page = some.map((card): [string, number] => [card.cardId, card.indexedRevision ?? 0]);
      const { vectors } = await this.parts.stored.of(tenantId, generation, new Map(page), this.#loop.signal);
      const unread = page.map(([cardId]) => cardId).filter((cardId) => !vectors.has(cardId));
      await cache.remove(tenantId, generation, unread);
    }
  }

  /** Full comparison, as at a load; changes made meanwhile are after the position, and applied later. */
  async #compareAll(): Promise<void> {
    const { ledger, tenants, cache } = this.parts;
    const { signal } = this.#loop;
    for (const [tenantId, generations] of groupedBy(await ledger.generations(), ({ tenantId }) => tenantId)) {
      const index = await tenants.opened(tenantId);
      if (index === null) continue;
      const versions = await ledger.versions(tenantId);
      // A later revision than the current one, after a restoration: setting the card would not replace it.
      const { cards } = index;
      tenants.remove(
        tenantId,
        cards.ids().filter((id) => cards.revisionOf(id) > (versions.get(id)?.revision ?? 0)),
      );
      await this.#read(tenantId, cardsLacking(index, versions));
      for (const generation of generations) {
        await forgetOutdated({ cache, signal }, generation, await ledger.revisions(tenantId, generation.number));
      }
    }
  }

  #read(tenantId: string, cardIds: readonly string[]): Promise<void> {
    const { ledger, tenants, background } = this.parts;
    const setSteps = (card: Card): Generator<void> => tenants.setSteps(tenantId, card);
    return indexCards({ ledger, setSteps, background, signal: this.#loop.signal }, tenantId, cardIds);
  }
}

function keyOf({ tenantId, cardId, transaction }: ChangedCard): string {
  return JSON.stringify([tenantId, cardId, String(transaction)]);
}
