import { delay, once } from '../domain/async.js';
import { asError } from '../domain/errors.js';
import type { LexicalSnapshots, SnapshotStore } from '../domain/ports/lexical.js';

/** How often it is looked whether a copy is worth while: at most that often is one written. */
const CHECK_MS = 60_000;

/** So many cards are read anew within a fifth of a second; a start need not be faster than that. */
const FEW_CHANGES = 1_000;

/** A copy is not written before this share of the cards has changed, or a large notebook would be written all the time. */
const CHANGED_SHARE = 0.05;

/** What is copied, and where to. */
export interface SnapshotSaverParts {
  readonly lexical: Pick<LexicalSnapshots, 'tenants' | 'size' | 'changes' | 'snapshot'>;
  readonly store: Pick<SnapshotStore, 'write'>;
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
}

/**
 * Keeps copies of the words, so that the next start is fast: whenever many cards have changed, and at the end. A copy that
 * cannot be written costs the next start some seconds, and nothing else.
 */
export class SnapshotSaver {
  readonly #parts: SnapshotSaverParts;
  readonly #stopping = new AbortController();
  /** By tenant: how many changes the last copy has. */
  readonly #kept = new Map<string, number>();
  #loop: Promise<void> | undefined;

  constructor(parts: SnapshotSaverParts) {
    this.#parts = parts;
  }

  /** Begins to keep copies; the words must be complete. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Writes what is not written yet, after the last change. Without effect where it was not started. */
  readonly close = once(async () => {
    this.#stopping.abort();
    if (this.#loop === undefined) return;
    await this.#loop;
    await this.#keep(() => 1);
  });

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#keep((cards) => Math.max(FEW_CHANGES, cards * CHANGED_SHARE));
      await delay(CHECK_MS, this.#stopping.signal);
    }
  }

  /** Copies the words of each tenant in which at least so many cards have changed as `enough` says for that many cards. */
  async #keep(enough: (cards: number) => number): Promise<void> {
    const { lexical, store, log } = this.#parts;
    for (const tenantId of lexical.tenants()) {
      const changes = lexical.changes(tenantId);
      if (changes - (this.#kept.get(tenantId) ?? 0) < enough(lexical.size(tenantId))) continue;
      const started = performance.now();
      try {
        await store.write(tenantId, lexical.snapshot(tenantId));
        this.#kept.set(tenantId, changes);
        log.info({ tenantId, tookMs: Math.round(performance.now() - started) }, 'a copy of the words is kept');
      } catch (thrown) {
        log.warn({ tenantId, err: asError(thrown) }, 'a copy of the words cannot be kept');
      }
    }
  }
}
