import { jittered } from '../domain/async.js';
import { IndexLostError, UnavailableError } from '../domain/errors.js';
import type { Log } from '../domain/ports/log.js';

/** Attempts before a card that fails by itself is marked as failed until it changes: two to four minutes of retries. */
export const MAX_ATTEMPTS = 8;

const LONGEST_OUTAGE_MS = 30_000;

/** The smallest part of a batch that is tried after failures. */
const LEAST_SHARE = 1 / 16;

/**
 * Delay before a failed card is retried, in milliseconds: 2^attempts seconds, half of it jitter; null: no more retries.
 */
export function retryAfterMs(attempts: number, random: () => number): number | null {
  if (attempts >= MAX_ATTEMPTS) return null;
  return jittered(1_000 * 2 ** attempts, random);
}

/**
 * Delay before the next attempt while a part is unavailable, in milliseconds: 0.2 s, doubling to 30 s, half of it
 * jitter.
 */
export function outagePauseMs(failuresInARow: number, random: () => number): number {
  return jittered(Math.min(200 * 2 ** (failuresInARow - 1), LONGEST_OUTAGE_MS), random);
}

/** The pauses of the indexer while a part is unavailable, and the tenants that wait because only Chroma is. */
export class Outage {
  readonly #tenants = new Set<string>();
  #retryAtMs = 0;
  #failuresInARow = 0;
  #share = 1;

  constructor(private readonly log: Pick<Log, 'warn'>) {}

  /** True from a failure until cards of every tenant are indexed again. */
  get lasts(): boolean {
    return this.#failuresInARow > 0;
  }

  /** Tenants whose cards must not be claimed; none once the pause is over. */
  waiting(): readonly string[] {
    if (performance.now() >= this.#retryAtMs) this.#tenants.clear();
    return [...this.#tenants];
  }

  /**
   * How many cards to try at once: half as many after each failure, twice as many after each success. A server that is
   * short of processor time may never write a whole batch before the deadline of a write.
   */
  sizeOf(batch: number): number {
    return Math.ceil(batch * this.#share);
  }

  /** Counts and logs a failure; the pause until the next attempt, in ms. */
  pauseMs(err: Error): number {
    this.#failuresInARow += 1;
    this.#share = Math.max(LEAST_SHARE, this.#share / 2);
    const pauseMs = outagePauseMs(this.#failuresInARow, Math.random);
    this.log.warn({ err, pauseMs }, 'indexing paused; it will be retried');
    return pauseMs;
  }

  /** These tenants wait; others are indexed meanwhile. */
  postpone(tenantIds: readonly string[], err: Error): void {
    if (this.#tenants.size === 0) this.#retryAtMs = performance.now() + this.pauseMs(err);
    for (const tenantId of tenantIds) this.#tenants.add(tenantId);
  }

  /** The unavailable part is back: nobody waits any longer. */
  end(): void {
    this.#retryAtMs = 0;
  }

  /** A batch was indexed. */
  succeeded(): void {
    if (this.#tenants.size > 0) return;
    this.#failuresInARow = 0;
    this.#share = Math.min(1, this.#share * 2);
  }

  /** `idleMs`, or less if a tenant is due before. */
  untilRetryMs(idleMs: number): number {
    return this.#tenants.size === 0 ? idleMs : Math.max(0, Math.min(idleMs, this.#retryAtMs - performance.now()));
  }
}

/**
 * Whether Chroma cannot be reached, or a model is unavailable: tenants whose vectors are in PostgreSQL, or whose index
 * has another model, need not wait.
 */
export function isOutageOfTenant(thrown: unknown): thrown is UnavailableError {
  if (!(thrown instanceof UnavailableError) || thrown instanceof IndexLostError) return false;
  return thrown.part === 'chroma' || thrown.part === 'embedder';
}
