import { once } from '../domain/async.js';
import { BackgroundLoop } from '../domain/background-loop.js';
import { asError } from '../domain/errors.js';
import type { LexicalSnapshots, SnapshotStore } from '../domain/ports/lexical.js';

/** Interval of checking whether a snapshot is due. */
const CHECK_MS = 60_000;

/** So many cards are read in a fifth of a second at a start: no snapshot is needed for fewer changes. */
const FEW_CHANGES = 1_000;

/** A snapshot is written only if this share of the cards has changed, otherwise a large tenant's would be written all the time. */
const CHANGED_SHARE = 0.05;

export interface SnapshotSaverParts {
  readonly lexical: Pick<LexicalSnapshots, 'tenants' | 'size' | 'changes' | 'snapshot'>;
  readonly store: Pick<SnapshotStore, 'write'>;
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
}

/**
 * Writes snapshots of the lexical indexes, so that the next start is fast: whenever many cards have changed, and at the end. A
 * failed write costs the next start some seconds, and nothing else.
 */
export class SnapshotSaver {
  readonly #parts: SnapshotSaverParts;
  /** By tenant: number of changes in the last snapshot. */
  readonly #kept = new Map<string, number>();

  readonly #loop: BackgroundLoop;

  constructor(parts: SnapshotSaverParts) {
    this.#parts = parts;
    const pass = async (): Promise<number> => {
      await this.#keep((cards) => Math.max(FEW_CHANGES, cards * CHANGED_SHARE));
      return CHECK_MS;
    };
    this.#loop = new BackgroundLoop({ pass, onFailure: () => CHECK_MS });
  }

  /** Starts writing snapshots; the lexical indexes must be complete. */
  start(): void {
    this.#loop.start();
  }

  /** Writes the remaining changes, after the last one. No-op if not started. */
  readonly close = once(async () => {
    await this.#loop.close();
    if (this.#loop.isStarted) await this.#keep(() => 1);
  });

  /** Writes the snapshot of each tenant with at least `enough(cards)` changes. */
  async #keep(enough: (cards: number) => number): Promise<void> {
    const { lexical, store, log } = this.#parts;
    for (const tenantId of lexical.tenants()) {
      const changes = lexical.changes(tenantId);
      if (changes - (this.#kept.get(tenantId) ?? 0) < enough(lexical.size(tenantId))) continue;
      const started = performance.now();
      try {
        await store.write(tenantId, lexical.snapshot(tenantId));
        this.#kept.set(tenantId, changes);
        log.info(
          { tenantId, tookMs: Math.round(performance.now() - started) },
          'snapshot of the lexical index written',
        );
      } catch (thrown) {
        log.warn({ tenantId, err: asError(thrown) }, 'the snapshot of the lexical index could not be written');
      }
    }
  }
}
