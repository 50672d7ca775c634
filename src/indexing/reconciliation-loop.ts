import { BackgroundLoop } from '../domain/background-loop.js';
import { asError } from '../domain/errors.js';
import type { Reconciliation } from '../domain/ports/gateway.js';
import type { Generation, IndexLedger } from '../domain/ports/ledger.js';
import type { Log } from '../domain/ports/log.js';
import type { Compared } from './consistency-scan.js';
import type { Generations } from './generations.js';
import { type Pass, type ReconcileParts, reconcile } from './reconcile.js';

export interface ReconciliationTimes {
  /** From the start to the first pass. */
  readonly firstMs: number;
  /** From one pass to the next. */
  readonly everyMs: number;
  /** The same after a pass that left differences, or failed; twice as long after each further failed pass. */
  readonly soonMs: number;
  /** Minimum interval between two probes of the collections. */
  readonly restMs: number;
  /** After this time a pass begins no further tenant; the next pass goes on there. */
  readonly passMs: number;
}

/** A pass over 20,000 cards takes 7 s of CPU time in 14 s; half a second if none has changed. */
const RECONCILIATION_TIMES: ReconciliationTimes = {
  firstMs: 60_000,
  everyMs: 15 * 60_000,
  soonMs: 10_000,
  restMs: 2_000,
  passMs: 5 * 60_000,
};

/**
 * If more than this share of the sample is unreachable twice in a row, the HNSW graph is damaged: the index is rebuilt.
 * Or the notebook has hundreds of nearly equal cards, which no graph connects: 6 to 9 of 50 were unreachable in three
 * successive graphs of 630 cards, 400 of them nearly equal. So from then on only a share twice as large is a damage.
 */
const UNREACHABLE_SHARE = 0.005;

/** A sample in which so many unreachable cards were expected, and none is, is no chance: e^-5 is .7 %. */
const EXPECTED = 5;

/** Failed cards are retried after this time, in milliseconds: the cause may have been the server. */
const REVIVE_AFTER_MS = 60 * 60_000;

export interface ReconciliationLoopParts extends ReconcileParts {
  readonly ledger: Pick<IndexLedger, 'generations'>;
  readonly generations: Pick<Generations, 'verify' | 'answering' | 'begin' | 'moveIfOutgrown'>;
  readonly times?: ReconciliationTimes;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * Runs reconciliation periodically, and immediately after a reported loss: missing or damaged collections are rebuilt,
 * and differences from the cards repaired.
 */
export class ReconciliationLoop {
  readonly #times: ReconciliationTimes;
  readonly #loop: BackgroundLoop;
  readonly #last = new Map<string, Reconciliation>();
  /** By tenant whose last sample had unreachable cards: the number of the generation. */
  readonly #unreached = new Map<string, number>();
  /** By tenant: the share of unreachable cards for which its index was rebuilt; absent if that helped. */
  readonly #rebuiltAt = new Map<string, number>();
  /** By tenant: input of the next pass; absent if differences were found or reported. */
  readonly #compared = new Map<string, Compared>();
  #dueMs = 0;
  /** The last tenant of a pass that ran out of time; '' otherwise. */
  #passedTenant = '';
  /** In a row: a tenant that never can be compared must not have all others compared every ten seconds. */
  #failedPasses = 0;

  constructor(private readonly parts: ReconciliationLoopParts) {
    this.#times = parts.times ?? RECONCILIATION_TIMES;
    this.#loop = new BackgroundLoop({
      pass: (woken) => this.#passIfDue(woken),
      onFailure: (err) => {
        parts.log.warn({ err }, 'reconciliation failed; the next pass retries');
        const { soonMs, everyMs } = this.#times;
        const pauseMs = Math.min(everyMs, soonMs * 2 ** Math.max(0, this.#failedPasses - 1));
        this.#dueMs = performance.now() + pauseMs;
        return pauseMs;
      },
      restMs: this.#times.restMs,
    });
  }

  /** @param first milliseconds until the first pass. */
  start(first: number = this.#times.firstMs): void {
    if (!this.#loop.isStarted) this.#dueMs = performance.now() + first;
    this.#loop.start(first);
  }

  /** Called after a possible loss: probes the collections now, and starts a pass soon. */
  readonly look = (): void => this.#loop.resume();

  /** Result of the last pass over this tenant's index; null before the first. */
  last(tenantId: string): Reconciliation | null {
    return this.#last.get(tenantId) ?? null;
  }

  /**
   * Runs one pass over every tenant now, or over the next ones that fit into {@link ReconciliationTimes.passMs}. Sets
   * {@link last}. A tenant that cannot be compared does not keep the others from it: the first error is thrown at the
   * end.
   */
  async pass(): Promise<readonly Pass[]> {
    const passes: Pass[] = [];
    const failures: Error[] = [];
    const started = performance.now();
    const answering = await this.parts.generations.answering();
    const left = answering.filter(({ tenantId }) => tenantId > this.#passedTenant);
    for (const generation of left.sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1))) {
      try {
        passes.push(await this.#reconcileTenant(generation));
      } catch (thrown) {
        this.#loop.signal.throwIfAborted();
        failures.push(asError(thrown));
      }
      this.#passedTenant = generation.tenantId;
      if (performance.now() - started >= this.#times.passMs) break;
    }
    if (passes.length + failures.length === left.length) this.#passedTenant = '';
    const [first] = failures;
    this.#failedPasses = first === undefined ? 0 : this.#failedPasses + 1;
    if (first === undefined) return passes;
    this.parts.log.warn({ failed: failures.length, compared: passes.length }, 'tenants could not be compared');
    throw first;
  }

  /** Stops at the end of the current page. */
  close(): Promise<void> {
    return this.#loop.close();
  }

  /** Returns the time until the next pass is due, in ms. */
  async #passIfDue(woken: boolean): Promise<number> {
    const { everyMs, soonMs } = this.#times;
    const started = performance.now();
    await this.parts.generations.verify({ signal: this.#loop.signal });
    if (woken) {
      this.#compared.clear();
      this.#dueMs = Math.min(this.#dueMs, performance.now() + soonMs);
    }
    if (performance.now() >= this.#dueMs) {
      const passes = await this.pass();
      const cards = passes.reduce((sum, { found }) => sum + found.cards, 0);
      const tookMs = Math.round(performance.now() - started);
      this.parts.log.info({ generations: passes.length, cards, tookMs }, 'reconciliation pass ended');
      this.#dueMs = performance.now() + (passes.some(({ left }) => left > 0) ? soonMs : everyMs);
    }
    return this.#dueMs - performance.now();
  }

  async #reconcileTenant(generation: Generation): Promise<Pass> {
    const { audit, generations, log } = this.parts;
    const { tenantId } = generation;
    await audit.revive(tenantId, REVIVE_AFTER_MS);
    // Otherwise only a change of one of its cards would move it.
    if (generation.inChroma === false) await generations.moveIfOutgrown(tenantId);
    const before = this.#compared.get(tenantId) ?? null;
    const pass = await reconcile(this.parts, generation, this.#loop.signal, before);
    const { found, compared } = pass;
    if (compared === null) this.#compared.delete(tenantId);
    else this.#compared.set(tenantId, compared);
    this.#last.set(tenantId, found);
    if (found.repaired > 0) log.warn({ tenantId, generation: generation.number, ...found }, 'repairing the index');
    await this.#rebuildIfUnreached(generation, found);
    return pass;
  }

  async #rebuildIfUnreached({ tenantId, number }: Generation, found: Reconciliation): Promise<void> {
    const { generations, log } = this.parts;
    const rebuiltAt = this.#rebuiltAt.get(tenantId) ?? 0;
    if (found.unreachable <= found.probed * UNREACHABLE_SHARE) {
      this.#unreached.delete(tenantId);
      // Otherwise the sample may have none by chance.
      if (rebuiltAt * found.probed >= EXPECTED) this.#rebuiltAt.delete(tenantId);
      return;
    }
    const isRepeated = this.#unreached.get(tenantId) === number;
    this.#unreached.set(tenantId, number);
    const share = found.unreachable / found.probed;
    if (!isRepeated || share <= 2 * rebuiltAt) return;
    log.warn({ tenantId, generation: number }, 'records remain unreachable after repair; rebuilding the index');
    await generations.begin(tenantId, number);
    this.#rebuiltAt.set(tenantId, share);
  }
}
