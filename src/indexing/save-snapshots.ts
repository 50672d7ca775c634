import { once } from '../domain/async.js';
import { periodicLoop } from '../domain/background-loop.js';
import { asError } from '../domain/errors.js';
import type { LexicalSnapshots, SnapshotStore } from '../domain/ports/lexical.js';
import { Turns } from '../domain/turns.js';

/** Interval of checking whether a snapshot is due. */
const CHECK_MS = 60_000;

/** So many cards are read in a fifth of a second at a start: no snapshot is needed for fewer changes. */
const FEW_CHANGES = 1_000;

/**
 * A snapshot is written only if this share of the cards has changed, otherwise a large tenant's would be written all
 * the time.
 */
const CHANGED_SHARE = 0.05;

export interface SnapshotSaverParts {
  /** Those whose lexical index is complete. */
  readonly tenants: () => readonly string[];
  readonly lexical: Pick<LexicalSnapshots, 'size' | 'changes' | 'snapshot'>;
  readonly store: Pick<SnapshotStore, 'write'>;
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
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
  release(tenantId: string): Promise<void> {
    const written = this.#isDue(tenantId, 1) ? this.#write(tenantId) : Promise.resolve();
    this.#kept.delete(tenantId);
    return written;
  }

  /** Writes the snapshot of each tenant with at least `enough(cards)` changes. */
  async #keep(enough: (cards: number) => number): Promise<void> {
    const { lexical, tenants } = this.parts;
    for (const tenantId of tenants()) {
      // It may have left memory meanwhile.
      if (!tenants().includes(tenantId) || !this.#isDue(tenantId, enough(lexical.size(tenantId)))) continue;
      await this.#write(tenantId);
    }
  }

  #isDue(tenantId: string, enough: number): boolean {
    return this.parts.lexical.changes(tenantId) - (this.#kept.get(tenantId) ?? 0) >= enough;
  }

  /** Takes the snapshot at once, and writes it after those before it. */
  #write(tenantId: string): Promise<void> {
    const { lexical, store, log } = this.parts;
    const [snapshot, changes] = [lexical.snapshot(tenantId), lexical.changes(tenantId)];
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
