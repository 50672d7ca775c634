import { once } from '../domain/async.js';
import { periodicLoop } from '../domain/background-loop.js';
import { asError } from '../domain/errors.js';
import type { SnapshotStore, TenantIndex } from '../domain/ports/lexical.js';
import type { Log } from '../domain/ports/log.js';
import { Turns } from '../domain/turns.js';

/** Interval of checking whether a snapshot is due. */
const CHECK_MS = 60_000;

/**
 * No snapshot is needed for fewer changes: a start after a kill takes .4 s longer (processor time, without
 * PostgreSQL) for so many of 5,000 cards, and 1.2 s for so many of 20,000.
 */
const FEW_CHANGES = 1_000;

/**
 * A snapshot is written only if this share of the cards has changed, otherwise a large tenant's would be written all
 * the time.
 */
const CHANGED_SHARE = 0.05;

type SavedIndex = Pick<TenantIndex, 'size' | 'changes' | 'snapshot'>;

export interface SnapshotSaverParts {
  /** The complete indexes, by tenant. */
  readonly open: () => ReadonlyMap<string, SavedIndex>;
  readonly store: Pick<SnapshotStore, 'write'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * Writes snapshots of the lexical indexes, so that the next start is fast: whenever many cards have changed, and at the
 * end. A failed write costs the next start some seconds, and nothing else.
 */
export class SnapshotSaver {
  /** By tenant: number of changes in the last snapshot. */
  readonly #kept = new Map<string, number>();
  /** Each file has one writer at a time. */
  readonly #turns = new Turns(1);
  readonly #loop = periodicLoop(
    CHECK_MS,
    () => this.#keep((cards) => Math.max(FEW_CHANGES, cards * CHANGED_SHARE)),
    () => undefined,
  );

  constructor(private readonly parts: SnapshotSaverParts) {}

  /** Starts writing snapshots; the lexical indexes must be complete. */
  start(): void {
    this.#loop.start();
  }

  /** Writes the remaining changes, after the last one. No-op if not started. */
  readonly close = once(async () => {
    await this.#loop.close();
    if (this.#loop.isStarted) await this.#keep(() => 1);
  });

  /** Before a tenant leaves memory: takes a snapshot where anything has changed, and writes it. */
  release(tenantId: string, index: SavedIndex): Promise<void> {
    const written = this.#isDue(tenantId, index, 1) ? this.#write(tenantId, index) : Promise.resolve();
    this.#kept.delete(tenantId);
    return written;
  }

  /** Writes the snapshot of each tenant with at least `enough(cards)` changes. */
  async #keep(enough: (cards: number) => number): Promise<void> {
    for (const [tenantId, index] of [...this.parts.open()]) {
      // It may have left memory meanwhile.
      const isOpen = this.parts.open().get(tenantId) === index;
      if (isOpen && this.#isDue(tenantId, index, enough(index.size))) await this.#write(tenantId, index);
    }
  }

  #isDue(tenantId: string, { changes }: SavedIndex, enough: number): boolean {
    return changes - (this.#kept.get(tenantId) ?? 0) >= enough;
  }

  /** Takes the snapshot at once, and writes it after those before it. */
  #write(tenantId: string, index: SavedIndex): Promise<void> {
    const { store, log } = this.parts;
    const [snapshot, changes] = [index.snapshot(), index.changes];
    const before = this.#kept.get(tenantId);
    this.#kept.set(tenantId, changes);
    return this.#turns.run(async () => {
      const started = performance.now();
      try {
        await store.write(tenantId, snapshot);
        const tookMs = Math.round(performance.now() - started);
        log.info({ tenantId, tookMs }, 'snapshot of the lexical index written');
      } catch (thrown) {
        // The next attempt is for the same changes, unless the tenant has left memory.
        if (this.#kept.get(tenantId) === changes) this.#kept.set(tenantId, before ?? 0);
        log.warn({ tenantId, err: asError(thrown) }, 'the snapshot of the lexical index could not be written');
      }
    });
  }
}
