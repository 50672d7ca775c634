import { delay, once } from '../domain/async.js';
import { asError } from '../domain/errors.js';
import type { Reconciliation } from '../domain/ports/gateway.js';
import type { Generation, IndexLedger } from '../domain/ports/ledger.js';
import type { Compared } from './consistency-scan.js';
import type { Generations } from './generations.js';
import { type Pass, type ReconcileParts, reconcile } from './reconcile.js';

/** When the index is looked through. */
export interface ReconciliationTimes {
  /** From the start to the first pass. */
  readonly firstMs: number;
  /** From one pass to the next. */
  readonly everyMs: number;
  /** The same, where more was found than one pass repairs, or where the pass could not be ended. */
  readonly soonMs: number;
  /** However often it is said that something is wrong, the collections are not tried more often than that. */
  readonly restMs: number;
}

/** A pass over 20,000 cards that have changed takes 7 s of processor time in 14 s, over some that have not, half a second. */
const HEALING_TIMES: ReconciliationTimes = {
  firstMs: 60_000,
  everyMs: 15 * 60_000,
  soonMs: 10_000,
  restMs: 2_000,
};

/** Where more than this share of the sample is not reached twice in a row, the graph is at fault: it is built anew. */
const UNREACHABLE_SHARE = 0.005;

/** A card that was given up is tried again after this, in milliseconds: what was wrong with it may have been the server. */
const REVIVE_AFTER_MS = 60 * 60_000;

/** What heals, and what it works with. */
export interface ReconciliationLoopParts extends ReconcileParts {
  readonly ledger: Pick<IndexLedger, 'generations'>;
  readonly generations: Pick<Generations, 'verify' | 'answering' | 'begin'>;
  readonly times?: ReconciliationTimes;
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
}

/**
 * Looks through the index from time to time, and at once when told that something is wrong: collections that are lost or
 * damaged are built anew, and what differs from the cards is repaired.
 */
export class ReconciliationLoop {
  readonly #parts: ReconciliationLoopParts;
  readonly #times: ReconciliationTimes;
  readonly #stopping = new AbortController();
  readonly #last = new Map<string, Reconciliation>();
  /** Tenants whose last sample was not reached. */
  readonly #unreached = new Set<string>();
  /** By tenant: what the last pass has compared; none where something was found, or may be wrong. */
  readonly #compared = new Map<string, Compared>();
  #wake = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(parts: ReconciliationLoopParts) {
    this.#parts = parts;
    this.#times = parts.times ?? HEALING_TIMES;
  }

  /** @param first in how many milliseconds the first pass begins; as the times say where it is not given. */
  start(first: number = this.#times.firstMs): void {
    this.#loop ??= this.#run(first);
  }

  /** Something may be wrong: the collections are tried now, and looked through soon. */
  readonly look = (): void => this.#wake.abort();

  /** What the last pass found in this tenant's index; null before the first. */
  last(tenantId: string): Reconciliation | null {
    return this.#last.get(tenantId) ?? null;
  }

  /** One pass over every tenant, now. What it found is also in {@link last}. UnavailableError where a server is away. */
  async pass(): Promise<readonly Pass[]> {
    const passes: Pass[] = [];
    for (const generation of await this.#parts.generations.answering()) passes.push(await this.#heal(generation));
    return passes;
  }

  /** Ends between two pages. */
  readonly close = once(async () => {
    this.#stopping.abort(new Error('the healer is stopping'));
    this.#wake.abort();
    await this.#loop;
  });

  async #run(first: number): Promise<void> {
    let due = performance.now() + first;
    const { everyMs, soonMs, restMs } = this.#times;
    while (true) {
      await delay(due - performance.now(), this.#wake.signal);
      if (this.#stopping.signal.aborted) return;
      const told = this.#wake.signal.aborted;
      this.#wake = new AbortController();
      const started = performance.now();
      try {
        await this.#parts.generations.verify();
        if (told) this.#compared.clear();
        if (told) due = Math.min(due, performance.now() + soonMs);
        if (performance.now() >= due) {
          const passes = await this.pass();
          const cards = passes.reduce((sum, { found }) => sum + found.cards, 0);
          const tookMs = Math.round(performance.now() - started);
          this.#parts.log.info({ generations: passes.length, cards, tookMs }, 'reconciliation pass ended');
          due = performance.now() + (passes.some(({ left }) => left > 0) ? soonMs : everyMs);
        }
      } catch (thrown) {
        if (this.#stopping.signal.aborted) return;
        this.#parts.log.warn({ err: asError(thrown) }, 'the index could not be looked through');
        due = performance.now() + soonMs;
      }
      await delay(restMs, this.#stopping.signal);
    }
  }

  async #heal(generation: Generation): Promise<Pass> {
    const { audit, generations, log } = this.#parts;
    const { tenantId } = generation;
    await audit.revive(tenantId, REVIVE_AFTER_MS);
    const before = this.#compared.get(tenantId) ?? null;
    const pass = await reconcile(this.#parts, generation, this.#stopping.signal, before);
    const { found, compared } = pass;
    if (compared === null) this.#compared.delete(tenantId);
    else this.#compared.set(tenantId, compared);
    this.#last.set(tenantId, found);
    if (found.repaired > 0) log.warn({ generation: generation.number, ...found }, 'the index is being repaired');
    const isUnreached = found.unreachable > found.probed * UNREACHABLE_SHARE;
    if (isUnreached && this.#unreached.has(tenantId)) {
      log.warn({ generation: generation.number }, 'cards stay out of reach: the index is built anew');
      await generations.begin(tenantId, generation.number);
    }
    if (isUnreached) this.#unreached.add(tenantId);
    else this.#unreached.delete(tenantId);
    return pass;
  }
}
