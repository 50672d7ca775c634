import { abortable, once } from '../domain/async.js';
import type { Card } from '../domain/card.js';
import { asError } from '../domain/errors.js';
import { versionOf } from '../domain/ports/ledger.js';
import type { LexicalWriter, TenantIndex } from '../domain/ports/lexical.js';
import type { Log } from '../domain/ports/log.js';
import type { TenantColumns } from '../domain/ports/vectors.js';
import { inSteps } from '../domain/steps.js';
import { type LoadTenantParts, loadTenant } from './load-tenant.js';

export interface TenantIndexesParts<Index> extends Omit<LoadTenantParts<Index>, 'log' | 'signal'> {
  readonly columns: TenantColumns;
  /** Takes a snapshot of what has changed before it returns, and resolves when that is written. */
  readonly release: (tenantId: string, index: Index) => Promise<void>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Of all tenants together. The one that was used last stays, however large it is. */
  readonly limitBytes: number;
}

/**
 * The tenants whose lexical index and vector columns are in memory. A tenant is loaded when it is first searched or
 * written, and the least recently used ones are dropped when all together take more memory than they may.
 */
export class TenantIndexes<Index extends TenantIndex> implements LexicalWriter {
  readonly #stopping = new AbortController();
  /** By tenant; the most recently used is the last. */
  readonly #open = new Map<string, Index>();
  /** About the memory that an index and its columns take, and after how many changes. */
  readonly #measured = new WeakMap<Index, { readonly bytes: number; readonly changes: number }>();
  readonly #loading = new Map<string, Loading<Index>>();
  /** Snapshots of dropped tenants that are being written. */
  readonly #leaving = new Map<string, Promise<void>>();

  constructor(private readonly parts: TenantIndexesParts<Index>) {}

  /** The indexes that are complete, by tenant. */
  get open(): ReadonlyMap<string, Index> {
    return this.#open;
  }

  /**
   * The tenant's index, which is loaded where it is not in memory; that goes on if the signal aborts. It is complete,
   * and stays so until this tenant is dropped for others.
   */
  async load(tenantId: string, signal: AbortSignal): Promise<Index> {
    const known = this.#open.get(tenantId);
    return known === undefined ? abortable(this.#load(tenantId).done, signal) : this.#use(tenantId, known);
  }

  /** The tenant's index if it is in memory, after a load that is under way. */
  async opened(tenantId: string): Promise<Index | null> {
    await this.#loading.get(tenantId)?.done.catch(() => undefined);
    return this.#open.get(tenantId) ?? null;
  }

  /** A card of a tenant that is not in memory is set once it is. A version that is indexed already is skipped. */
  *setSteps(tenantId: string, card: Card): Generator<void> {
    const lacks = (index: Index): boolean => !index.cards.holds(card.id, versionOf(card));
    const known = this.#open.get(tenantId);
    if (known !== undefined && lacks(known)) yield* known.analyse(card);
    // Between two steps the tenant may have been dropped, or loaded.
    this.#write(tenantId, {
      *prepare(index) {
        if (lacks(index)) yield* index.analyse(card);
      },
      write(index) {
        if (lacks(index)) index.set(card);
      },
    });
  }

  remove(tenantId: string, cardIds: Iterable<string>): void {
    this.#write(tenantId, {
      *prepare() {},
      write(index) {
        for (const cardId of cardIds) index.delete(cardId);
      },
    });
  }

  /** Gives up loads that are under way. */
  readonly close = once(async () => {
    this.#stopping.abort(new Error('the gateway is stopping'));
    await Promise.allSettled([...this.#loading.values()].map(({ done }) => done));
    await Promise.all(this.#leaving.values());
  });

  #write(tenantId: string, write: Write<Index>): void {
    const known = this.#open.get(tenantId);
    if (known === undefined) {
      this.#load(tenantId).writes.push(write);
      return;
    }
    write.write(known);
    if (!this.#isMeasured(known)) {
      this.#use(tenantId, known);
      this.#shrink();
    }
  }

  #load(tenantId: string): Loading<Index> {
    const known = this.#loading.get(tenantId);
    if (known !== undefined) return known;
    const writes: Write<Index>[] = [];
    const loading = { writes, done: this.#fill(tenantId, writes).finally(() => this.#loading.delete(tenantId)) };
    this.#loading.set(tenantId, loading);
    loading.done.catch((thrown: unknown) => {
      // Whoever waits for the index gets the error; writes do not, and what they leave out is read by the next load.
      if (writes.length > 0 && !this.#stopping.signal.aborted)
        this.parts.log.warn({ tenantId, err: asError(thrown) }, 'the index of a tenant could not be loaded');
    });
    return loading;
  }

  async #fill(tenantId: string, writes: readonly Write<Index>[]): Promise<Index> {
    const { columns } = this.parts;
    const { signal } = this.#stopping;
    await this.#leaving.get(tenantId);
    try {
      const index = await loadTenant({ ...this.parts, signal }, tenantId);
      await columns.load(tenantId);
      signal.throwIfAborted();
      await inSteps(this.#completeSteps(tenantId, index, writes), undefined, signal);
      return index;
    } catch (error) {
      columns.unload(tenantId);
      throw error;
    }
  }

  /** Hundreds of cards may wait, each with 60 KB of texts. The index is open with the last step: no write is missed. */
  *#completeSteps(tenantId: string, index: Index, writes: readonly Write<Index>[]): Generator<void> {
    for (const write of writes) {
      yield;
      yield* write.prepare(index);
      write.write(index);
    }
    this.#use(tenantId, index);
    this.#shrink();
  }

  #isMeasured(index: Index): boolean {
    const measured = this.#measured.get(index);
    return measured !== undefined && index.changes - measured.changes < MEASURED_AFTER;
  }

  #use(tenantId: string, index: Index): Index {
    if (!this.#isMeasured(index)) {
      const bytes = index.bytes + this.parts.columns.bytes(tenantId);
      this.#measured.set(index, { bytes, changes: index.changes });
    }
    this.#open.delete(tenantId);
    this.#open.set(tenantId, index);
    return index;
  }

  #shrink(): void {
    const bytesOf = (index: Index): number => this.#measured.get(index)?.bytes ?? 0;
    let total = [...this.#open.values()].reduce((sum, index) => sum + bytesOf(index), 0);
    for (const [tenantId, index] of this.#open) {
      if (total <= this.parts.limitBytes || this.#open.size === 1) return;
      total -= bytesOf(index);
      this.#drop(tenantId, index);
    }
  }

  #drop(tenantId: string, index: Index): void {
    const { columns, release, log } = this.parts;
    const leaving = release(tenantId, index).finally(() => this.#leaving.delete(tenantId));
    this.#leaving.set(tenantId, leaving);
    this.#open.delete(tenantId);
    columns.unload(tenantId);
    log.info({ tenantId }, 'index of a tenant dropped from memory');
  }
}

/** The size of an index is measured again after so many changes. */
const MEASURED_AFTER = 1_000;

interface Write<Index> {
  /** Ahead of {@link write}, in steps. */
  prepare(index: Index): Generator<void>;
  write(index: Index): void;
}

interface Loading<Index> {
  readonly done: Promise<Index>;
  /** Done when the index is complete. */
  readonly writes: Write<Index>[];
}
