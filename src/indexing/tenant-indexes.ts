import { abortable, once } from '../domain/async.js';
import type { Card } from '../domain/card.js';
import { asError } from '../domain/errors.js';
import type { LexicalSnapshots, LexicalWriter } from '../domain/ports/lexical.js';
import type { TenantColumns } from '../domain/ports/vectors.js';
import { type LoadTenantParts, loadTenant } from './load-tenant.js';

export interface TenantIndexesParts<Index> extends Omit<LoadTenantParts, 'lexical' | 'log' | 'signal'> {
  readonly lexical: LexicalWriter & LexicalSnapshots & { of(tenantId: string): Index };
  readonly columns: TenantColumns;
  /** Takes a snapshot of what has changed before it returns, and resolves when that is written. */
  readonly release: (tenantId: string) => Promise<void>;
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
  /** Of all tenants together. The one that was used last stays, however large it is. */
  readonly limitBytes: number;
}

/**
 * The tenants whose lexical index and vector columns are in memory. A tenant is loaded when it is first searched or
 * written, and the least recently used ones are dropped when all together take more memory than they may.
 */
export class TenantIndexes<Index> implements LexicalWriter {
  readonly #stopping = new AbortController();
  /** By tenant: about the memory that it takes, and after how many changes; the most recently used is the last. */
  readonly #open = new Map<string, { readonly bytes: number; readonly changes: number }>();
  readonly #loading = new Map<string, Loading<Index>>();
  /** Snapshots of dropped tenants that are being written. */
  readonly #leaving = new Map<string, Promise<void>>();

  constructor(private readonly parts: TenantIndexesParts<Index>) {}

  /** The tenants whose index is complete. */
  get open(): readonly string[] {
    return [...this.#open.keys()];
  }

  /**
   * The tenant's index, which is loaded where it is not in memory; that goes on if the signal aborts. It is complete,
   * and stays so until this tenant is dropped for others.
   */
  async load(tenantId: string, signal: AbortSignal): Promise<Index> {
    return this.#open.has(tenantId) ? this.#use(tenantId) : abortable(this.#load(tenantId).done, signal);
  }

  /** Whether the tenant is in memory, after a load that is under way. */
  async isOpen(tenantId: string): Promise<boolean> {
    await this.#loading.get(tenantId)?.done.catch(() => undefined);
    return this.#open.has(tenantId);
  }

  /** Cards of a tenant that is not in memory are set once it is. */
  set(tenantId: string, cards: Iterable<Card>): void {
    this.#write(tenantId, () => this.parts.lexical.set(tenantId, cards));
  }

  remove(tenantId: string, cardIds: Iterable<string>): void {
    this.#write(tenantId, () => this.parts.lexical.remove(tenantId, cardIds));
  }

  /** Gives up loads that are under way. */
  readonly close = once(async () => {
    this.#stopping.abort(new Error('the gateway is stopping'));
    await Promise.allSettled([...this.#loading.values()].map(({ done }) => done));
    await Promise.all(this.#leaving.values());
  });

  #write(tenantId: string, write: () => void): void {
    const known = this.#open.get(tenantId);
    if (known === undefined) {
      this.#load(tenantId).writes.push(write);
      return;
    }
    write();
    if (this.parts.lexical.changes(tenantId) - known.changes < MEASURED_AFTER) return;
    this.#use(tenantId);
    this.#shrink();
  }

  #load(tenantId: string): Loading<Index> {
    const known = this.#loading.get(tenantId);
    if (known !== undefined) return known;
    const writes: (() => void)[] = [];
    const loading = { writes, done: this.#fill(tenantId, writes).finally(() => this.#loading.delete(tenantId)) };
    this.#loading.set(tenantId, loading);
    loading.done.catch((thrown: unknown) => {
      // Whoever waits for the index gets the error; writes do not, and what they leave out is read by the next load.
      if (writes.length > 0 && !this.#stopping.signal.aborted)
        this.parts.log.warn({ tenantId, err: asError(thrown) }, 'the index of a tenant could not be loaded');
    });
    return loading;
  }

  async #fill(tenantId: string, writes: readonly (() => void)[]): Promise<Index> {
    const { lexical, columns } = this.parts;
    const { signal } = this.#stopping;
    await this.#leaving.get(tenantId);
    try {
      await loadTenant({ ...this.parts, signal }, tenantId);
      await columns.load(tenantId);
      signal.throwIfAborted();
    } catch (error) {
      lexical.drop(tenantId);
      columns.unload(tenantId);
      throw error;
    }
    for (const write of writes) write();
    const index = this.#use(tenantId);
    this.#shrink();
    return index;
  }

  #use(tenantId: string): Index {
    const known = this.#open.get(tenantId);
    const { lexical, columns } = this.parts;
    const changes = lexical.changes(tenantId);
    const isFresh = known !== undefined && changes - known.changes < MEASURED_AFTER;
    const bytes = isFresh ? known.bytes : lexical.bytes(tenantId) + columns.bytes(tenantId);
    this.#open.delete(tenantId);
    this.#open.set(tenantId, isFresh ? known : { bytes, changes });
    return lexical.of(tenantId);
  }

  #shrink(): void {
    let total = [...this.#open.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    for (const [tenantId, { bytes }] of this.#open) {
      if (total <= this.parts.limitBytes || this.#open.size === 1) return;
      total -= bytes;
      this.#drop(tenantId);
    }
  }

  #drop(tenantId: string): void {
    const { lexical, columns, release, log } = this.parts;
    const leaving = release(tenantId).finally(() => this.#leaving.delete(tenantId));
    this.#leaving.set(tenantId, leaving);
    this.#open.delete(tenantId);
    lexical.drop(tenantId);
    columns.unload(tenantId);
    log.info({ tenantId }, 'index of a tenant dropped from memory');
  }
}

/** The size of an index is measured again after so many changes. */
const MEASURED_AFTER = 1_000;

interface Loading<Index> {
  readonly done: Promise<Index>;
  /** Done when the index is complete. */
  readonly writes: (() => void)[];
}
