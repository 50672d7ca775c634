import { asError, IndexLostError, UnavailableError } from '../errors.js';
import { delay, once } from '../lifecycle.js';
import type { DirtyCard, Outbox } from '../ports.js';
import { outagePauseMs, retryAfterMs } from './backoff.js';
import type { Generations } from './generations.js';
import { type IndexCardsParts, indexCards } from './index-cards.js';

/** Cards a batch: some 350 passages, which Chroma writes in about 0.4 s, the longest that a single change has to wait. */
const BATCH = 100;
/**
 * Past this a claim is taken to be of a gateway that died. A batch takes about a second; one that takes longer than this is
 * done twice, harmlessly, and a longer lease would keep the cards of a dead gateway from being found.
 */
const LEASE_MS = 30_000;
/** How soon changes made through other gateways, and retries that come due, are seen. */
const POLL_MS = 1_000;

interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** What the loop works with. */
export interface IndexerParts extends IndexCardsParts {
  readonly outbox: Outbox;
  readonly generations: Generations;
  readonly log: Log;
}

/**
 * The index manager's loop, the one writer of this process: claims changed cards, makes the index agree with them,
 * acknowledges. Whatever is not acknowledged is claimed again.
 */
export class Indexer {
  readonly #parts: IndexerParts;
  readonly #stopping = new AbortController();
  readonly #listeners = new Set<() => void>();
  #wake = new AbortController();
  #loop: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;
  #failuresInARow = 0;
  #pause = new AbortController();

  constructor(parts: IndexerParts) {
    this.#parts = parts;
  }

  /** Whether it waits for a part that is away. */
  get paused(): boolean {
    return this.#failuresInARow > 0;
  }

  start(): void {
    this.#unsubscribe ??= this.#parts.outbox.onDirty(() => this.#wake.abort());
    this.#loop ??= this.#run();
  }

  /** A part that was away is back: a pause is over now. */
  readonly resume = (): void => this.#pause.abort();

  /** Called after each batch, until the returned function is called. */
  onBatch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Gives back what is in hand, unless its last write is under way; then waits for that. */
  readonly close = once(async () => {
    this.#unsubscribe?.();
    this.#stopping.abort(new Error('the indexer is stopping'));
    this.#wake.abort();
    await this.#loop;
  });

  async #run(): Promise<void> {
    const { log } = this.#parts;
    while (!this.#stopping.signal.aborted) {
      this.#wake = new AbortController();
      try {
        const indexed = await this.#batch();
        this.#failuresInARow = 0;
        if (indexed < BATCH) await this.#parts.generations.settle();
        if (indexed === 0) await delay(POLL_MS, this.#wake.signal);
      } catch (thrown) {
        if (this.#stopping.signal.aborted) return;
        this.#failuresInARow += 1;
        const pauseMs = outagePauseMs(this.#failuresInARow, Math.random);
        log.warn({ err: asError(thrown), pauseMs }, 'indexing pauses');
        this.#pause = new AbortController();
        await delay(pauseMs, AbortSignal.any([this.#stopping.signal, this.#pause.signal]));
      }
    }
  }

  /** Indexes what is due; answers how many cards that were. Whatever it could not come to is given back. */
  async #batch(): Promise<number> {
    const claims = await this.#parts.outbox.claim(BATCH, LEASE_MS);
    const open = new Set(claims);
    try {
      for (const [tenantId, ofTenant] of groupByTenant(claims)) await this.#index(tenantId, ofTenant, open);
    } catch (thrown) {
      await this.#parts.outbox.release([...open]);
      if (thrown instanceof IndexLostError) await this.#parts.generations.verify();
      throw thrown;
    }
    for (const listener of this.#listeners) listener();
    return claims.length;
  }

  /**
   * Indexes a tenant's claims and takes them out of `open`. A part that is away fails the whole batch; one bad card is found
   * by halving and set aside, so that it delays no other.
   */
  async #index(tenantId: string, claims: readonly DirtyCard[], open: Set<DirtyCard>): Promise<void> {
    const { outbox, generations, log } = this.#parts;
    try {
      const writable = await generations.writable(tenantId);
      await outbox.done(await indexCards(this.#parts, tenantId, claims, writable, this.#stopping.signal));
    } catch (thrown) {
      const error = asError(thrown);
      if (error instanceof UnavailableError || this.#stopping.signal.aborted) throw error;
      const [only] = claims;
      if (only === undefined || claims.length > 1) {
        const middle = Math.ceil(claims.length / 2);
        await this.#index(tenantId, claims.slice(0, middle), open);
        await this.#index(tenantId, claims.slice(middle), open);
        return;
      }
      const retryMs = retryAfterMs(only.attempts, Math.random);
      log.error({ err: error, cardId: only.cardId, attempts: only.attempts, retryMs }, 'a card could not be indexed');
      await outbox.fail(only, error.message, retryMs);
    }
    for (const claim of claims) open.delete(claim);
  }
}

function groupByTenant(claims: readonly DirtyCard[]): ReadonlyMap<string, DirtyCard[]> {
  const groups = new Map<string, DirtyCard[]>();
  for (const claim of claims) {
    const group = groups.get(claim.tenantId);
    if (group === undefined) groups.set(claim.tenantId, [claim]);
    else group.push(claim);
  }
  return groups;
}
