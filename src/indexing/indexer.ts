import { delay, once } from '../domain/async.js';
import { asError, IndexLostError, UnavailableError } from '../domain/errors.js';
import type { DirtyCard, Outbox } from '../domain/ports/outbox.js';
import { outagePauseMs, retryAfterMs } from './backoff.js';
import type { ChangeEvents } from './change-signal.js';
import type { Generations } from './generations.js';
import { type IndexCardsParts, prepareCards, writeCards } from './index-cards.js';

/** Cards a batch: some 350 passages, which Chroma writes in about 0.4 s, the longest that a single change has to wait. */
const BATCH = 100;
/**
 * Past this a claim is taken to be of a gateway that died. A batch takes about a second; one that takes longer than this is
 * done twice, harmlessly, and a longer lease would keep the cards of a dead gateway from being found.
 */
const LEASE_MS = 30_000;
/** Poll interval while a generation is being built or replaced, and while the row of a due card is locked. */
const POLL_MS = 1_000;

interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** What the loop works with. */
export interface IndexerParts extends IndexCardsParts {
  readonly outbox: Outbox;
  readonly events: ChangeEvents;
  readonly generations: Generations;
  readonly log: Log;
}

/**
 * The index manager's loop, the one writer of this process: claims changed cards, makes the index agree with them,
 * acknowledges. Whatever is not acknowledged is claimed again. While one batch is being written, which is Chroma's work, the
 * next one is read and embedded; batches are written one after the other.
 */
export class Indexer {
  readonly #parts: IndexerParts;
  readonly #stopping = new AbortController();
  readonly #listeners = new Set<() => void>();
  /** Claims that could not be given back when they should have been, because the database was away. */
  readonly #kept: DirtyCard[] = [];
  #wake = new AbortController();
  #loop: Promise<void> | undefined;
  #unsubscribe: readonly (() => void)[] = [];
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
    if (this.#loop !== undefined) return;
    const { outbox, events } = this.#parts;
    const wake = (): void => this.#wake.abort();
    this.#unsubscribe = [outbox.onDirty(wake), events.onChange(wake)];
    this.#loop = this.#run();
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
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#stopping.abort(new Error('the indexer is stopping'));
    this.#wake.abort();
    await this.#loop;
  });

  async #run(): Promise<void> {
    let before = NOTHING;
    let batch = NOTHING;
    while (!this.#stopping.signal.aborted) {
      this.#wake = new AbortController();
      try {
        await this.#giveBack();
        const claims = await this.#parts.outbox.claim(BATCH, LEASE_MS);
        // Of leases that ran out: what is being written now would be taken for what it was before.
        if (claims.some((claim) => before.cards.has(nameOf(claim)))) await failuresOf(before);
        batch = this.#begin(claims, before);
        await before.ended;
        before = batch;
        if (claims.length === BATCH) continue;
        await batch.ended;
        const settled = await this.#parts.generations.settle();
        if (claims.length === 0) await delay(settled ? await this.#idleMs() : POLL_MS, this.#wake.signal);
      } catch (thrown) {
        // Both, so that nothing is under way when the next one begins, or when the indexer is closed.
        const failures = new Set([asError(thrown), ...(await failuresOf(before)), ...(await failuresOf(batch))]);
        [before, batch] = [NOTHING, NOTHING];
        if (this.#stopping.signal.aborted) return;
        await this.#rest(failures);
      }
    }
    await failuresOf(before);
  }

  /** How long there is nothing to do unless a change is notified, in ms. */
  async #idleMs(): Promise<number> {
    const { outbox, events } = this.#parts;
    const dueMs = await outbox.nextDueMs();
    return Math.min(events.pollMs, dueMs > 0 ? dueMs : POLL_MS);
  }

  async #rest(failures: Iterable<Error>): Promise<void> {
    this.#failuresInARow += 1;
    const pauseMs = outagePauseMs(this.#failuresInARow, Math.random);
    for (const err of failures) this.#parts.log.warn({ err, pauseMs }, 'indexing pauses');
    this.#pause = new AbortController();
    await delay(pauseMs, AbortSignal.any([this.#stopping.signal, this.#pause.signal]));
  }

  #begin(claims: readonly DirtyCard[], before: Batch): Batch {
    const ended = this.#batch(claims, before);
    // The loop hears of it, but perhaps not at once.
    ended.catch(() => undefined);
    return { cards: new Set(claims.map(nameOf)), ended };
  }

  /** Prepares the claims while the batch before is being written, then writes them. Whatever it could not come to is given back. */
  async #batch(claims: readonly DirtyCard[], before: Batch): Promise<void> {
    const open = new Set(claims);
    try {
      for (const [tenantId, ofTenant] of groupByTenant(claims)) await this.#index(tenantId, ofTenant, open, before);
    } catch (thrown) {
      this.#kept.push(...open);
      // Where the database is away too, they are given back before the next claim; else they would wait for their leases.
      await this.#giveBack().catch(() => undefined);
      if (thrown instanceof IndexLostError) await this.#parts.generations.verify();
      throw thrown;
    }
    this.#failuresInARow = 0;
    for (const listener of this.#listeners) listener();
  }

  async #giveBack(): Promise<void> {
    const claims = this.#kept.splice(0);
    if (claims.length === 0) return;
    try {
      await this.#parts.outbox.release(claims);
    } catch (thrown) {
      this.#kept.push(...claims);
      throw thrown;
    }
  }

  /**
   * Indexes a tenant's claims and takes them out of `open`. A part that is away fails the whole batch; one bad card is found
   * by halving and set aside, so that it delays no other.
   */
  async #index(tenantId: string, claims: readonly DirtyCard[], open: Set<DirtyCard>, before: Batch): Promise<void> {
    const { outbox, generations, log } = this.#parts;
    const { signal } = this.#stopping;
    try {
      const prepared = await prepareCards(this.#parts, tenantId, claims, await generations.writable(tenantId), signal);
      await failuresOf(before);
      signal.throwIfAborted();
      await outbox.done(await writeCards(this.#parts, prepared));
    } catch (thrown) {
      const error = asError(thrown);
      if (error instanceof UnavailableError || signal.aborted) throw error;
      const [only] = claims;
      if (only === undefined || claims.length > 1) {
        const middle = Math.ceil(claims.length / 2);
        await this.#index(tenantId, claims.slice(0, middle), open, before);
        await this.#index(tenantId, claims.slice(middle), open, before);
        return;
      }
      const retryMs = retryAfterMs(only.attempts, Math.random);
      log.error({ err: error, cardId: only.cardId, attempts: only.attempts, retryMs }, 'a card could not be indexed');
      await outbox.fail(only, error.message, retryMs);
    }
    for (const claim of claims) open.delete(claim);
  }
}

/** Cards that are being indexed. */
interface Batch {
  readonly cards: ReadonlySet<string>;
  /** Rejects where a part is away or the index is lost, after what was left of the claims was given back. */
  readonly ended: Promise<void>;
}

const NOTHING: Batch = { cards: new Set(), ended: Promise.resolve() };

/** Waits for the end of a batch; what it failed of, if it did. */
function failuresOf({ ended }: Batch): Promise<readonly Error[]> {
  return ended.then(
    () => [],
    (thrown: unknown) => [asError(thrown)],
  );
}

function nameOf({ tenantId, cardId }: DirtyCard): string {
  return JSON.stringify([tenantId, cardId]);
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
