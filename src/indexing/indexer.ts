import { delay, Listeners, once } from '../domain/async.js';
import { BackgroundLoop } from '../domain/background-loop.js';
import { asError, IndexLostError, UnavailableError } from '../domain/errors.js';
import { groupedBy } from '../domain/grouped.js';
import type { ChangeEvents } from '../domain/ports/changes.js';
import type { Log } from '../domain/ports/log.js';
import type { DirtyCard, Outbox } from '../domain/ports/outbox.js';
import { type Batch, beginBatch, failuresOf, LEASE_MS, NOTHING, nameOf } from './batch.js';
import type { Generations } from './generations.js';
import { type IndexCardsParts, prepareCards, writeCards } from './index-cards.js';
import { isOutageOfTenant, Outage, retryAfterMs } from './outage.js';

/**
 * Cards in a batch: some 650 passages, which Chroma writes in about 0.7 s, the longest wait of a single change. For
 * 1,500 cards Chroma takes 5.4 s of processor time in batches of 100, 4.7 of 150, 4.5 of 250 (`npm run bench --
 * indexing --cards 1500`).
 */
const BATCH = 150;
/**
 * Of so many full batches in a row, one claims the least urgent cards first, so that imports without an end do not stop
 * a rebuild.
 */
const LAST_FIRST_EVERY = 8;
/** Poll interval while a generation is being built or replaced, and while the row of a due card is locked. */
const POLL_MS = 1_000;

/**
 * Maximum pause after a batch with room for more cards, in ms; it is as long as the batch took. The next batch then has
 * more cards: most of the cost of indexing a few cards is that of the batch. Pauses of up to twice as long as the
 * batch, at most a second, saved another quarter of Chroma's time, and changes were searchable .3 s later
 * (`npm run bench -- load --cards 4000 --rate 50`).
 */
const MAX_REST_MS = 400;

/** For a part of a batch that others follow. */
const NOT_YET = (): void => undefined;

/** What a batch waits for before Chroma writes it, and how it tells the next one. */
interface BatchOrder {
  readonly before: Batch;
  readonly onWritten: () => void;
}

export interface IndexerParts extends IndexCardsParts {
  readonly outbox: Outbox;
  readonly events: ChangeEvents;
  readonly generations: Generations;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
}

/**
 * The outbox consumer, which writes all records of the index: claims changed cards, indexes them, acknowledges. Cards
 * that are not acknowledged are claimed again. While Chroma writes one batch, the next one is read and embedded, unless
 * clients are searching. Chroma writes them one after the other: the next one while the terms of the one before are
 * indexed and its cards are acknowledged.
 */
export class Indexer {
  readonly #loop: BackgroundLoop;
  readonly #batchDone = new Listeners();
  readonly onBatch = this.#batchDone.add;
  #hurried = new AbortController();
  /** Claims that could not be released yet because the database was unavailable. */
  readonly #kept: DirtyCard[] = [];
  /** The batch that is being written, and the one that is being prepared meanwhile. */
  #before = NOTHING;
  #latest = NOTHING;
  /** In a row. */
  #fullBatches = 0;
  readonly #outage: Outage;
  #unsubscribe: readonly (() => void)[] = [];

  constructor(private readonly parts: IndexerParts) {
    this.#outage = new Outage(parts.log);
    this.#loop = new BackgroundLoop({ pass: () => this.#pass(), onFailure: (error) => this.#outage.pauseMs(error) });
  }

  /** True while it waits for an unavailable part. */
  get paused(): boolean {
    return this.#outage.lasts;
  }

  start(): void {
    if (this.#loop.isStarted) return;
    const { outbox, events } = this.parts;
    this.#unsubscribe = [outbox.onDirty(this.#loop.wake), events.onChange(this.#loop.wake)];
    this.#loop.start();
  }

  /** Ends a pause: an unavailable part is back. */
  readonly resume = (): void => {
    this.#outage.end();
    this.#loop.resume();
  };

  /** Ends the pause between batches, as someone waits for a card; a no-op during a batch, which may include it. */
  readonly hurry = (): void => this.#hurried.abort();

  /** Releases its claims, unless their last write is running; then waits for that. */
  readonly close = once(async () => {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#loop.close();
    await failuresOf(this.#before);
  });

  /** Claims a batch, prepares it while the one before is being written; returns how long to wait for changes, in ms. */
  async #pass(): Promise<number> {
    const { outbox, generations, background } = this.parts;
    try {
      await this.#giveBack();
      const size = this.#outage.sizeOf(BATCH);
      const lastFirst = this.#fullBatches % LAST_FIRST_EVERY === LAST_FIRST_EVERY - 1;
      const claims = await outbox.claim(size, LEASE_MS, { except: this.#outage.waiting(), lastFirst });
      this.#fullBatches = claims.length === size ? this.#fullBatches + 1 : 0;
      // Claimed again after an expired lease: preparing them now would read records that are just being written.
      const isBeingWritten = claims.some((claim) => this.#before.cards.has(nameOf(claim)));
      // While clients search, Chroma and the gateway take turns: otherwise searches wait longer for a core.
      if (isBeingWritten || background.isContended()) await failuresOf(this.#before);
      const began = performance.now();
      const before = this.#before;
      this.#latest = beginBatch(this.parts, claims, (open, onWritten) => {
        return this.#batch(claims, open, { before, onWritten });
      });
      await this.#before.ended;
      const { tenants } = this.#before;
      this.#before = this.#latest;
      if (claims.length === size) {
        await generations.promoteComplete(tenants);
        return 0;
      }
      await this.#latest.ended;
      const settled = await generations.settle(claims.length === 0 ? 'all' : [...tenants, ...this.#latest.tenants]);
      if (claims.length > 0) {
        const pauseMs = Math.min(MAX_REST_MS, performance.now() - began);
        await delay(pauseMs, this.#loop.signal, this.#hurried.signal);
        return 0;
      }
      return this.#outage.untilRetryMs(settled ? await this.#idleMs() : POLL_MS);
    } catch (thrown) {
      // Wait for both, so that nothing is running when the next one starts or the indexer is closed.
      const failures = [...(await failuresOf(this.#before)), ...(await failuresOf(this.#latest))];
      [this.#before, this.#latest] = [NOTHING, NOTHING];
      const [first, ...others] = new Set([asError(thrown), ...failures]);
      if (!this.#loop.signal.aborted)
        for (const err of others) this.parts.log.warn({ err }, 'indexing also failed for another reason');
      throw first;
    }
  }

  /** Time until the next due card, unless a change is notified, in ms. */
  async #idleMs(): Promise<number> {
    const { outbox, events } = this.parts;
    // Otherwise the backlog of tenants that wait for Chroma would be searched for other cards every second.
    const dueMs = await outbox.nextDueMs(this.#outage.waiting());
    return Math.min(events.pollMs, dueMs > 0 ? dueMs : POLL_MS);
  }

  /**
   * Prepares the claims while the previous batch is being written, then writes them; `open` are those that are left.
   * Releases those that it could not index. Single changes are indexed and acknowledged before the other cards of the
   * batch, and imported cards before those of a rebuild, which may take minutes with a semantic model. A tenant for
   * which Chroma or its model is unavailable does not delay the others ({@link isOutageOfTenant}).
   */
  async #batch(claims: readonly DirtyCard[], open: Set<DirtyCard>, order: BatchOrder): Promise<void> {
    const unavailable = new Map<string, Error>();
    const inOrder = [...claims].sort((one, other) => one.priority - other.priority);
    const parts = [...groupedBy(inOrder, ({ tenantId, priority }) => JSON.stringify([tenantId, priority])).values()];
    let tenantId = '';
    try {
      for (const part of parts) {
        [{ tenantId }] = part;
        if (unavailable.has(tenantId)) continue;
        try {
          await this.#index(tenantId, part, open, part === parts.at(-1) ? order : { ...order, onWritten: NOT_YET });
          this.#batchDone.notify();
        } catch (thrown) {
          if (!isOutageOfTenant(thrown) || this.#loop.signal.aborted) throw thrown;
          unavailable.set(tenantId, thrown);
        }
      }
      const [first] = unavailable.values();
      if (first !== undefined) {
        this.#outage.postpone([...unavailable.keys()], first);
        this.#kept.push(...open);
        open.clear();
        await this.#giveBack();
      }
    } catch (thrown) {
      this.#kept.push(...open);
      // If the database is unavailable too, they are released before the next claim, and do not wait for their leases.
      await this.#giveBack().catch(() => undefined);
      if (thrown instanceof IndexLostError) await this.parts.generations.verify({ tenantId });
      throw thrown;
    }
    if ((await failuresOf(order.before)).length === 0) this.#outage.succeeded();
    this.#hurried = new AbortController();
    this.#batchDone.notify();
  }

  async #giveBack(): Promise<void> {
    const claims = this.#kept.splice(0);
    if (claims.length === 0) return;
    try {
      await this.parts.outbox.release(claims);
    } catch (thrown) {
      this.#kept.push(...claims);
      throw thrown;
    }
  }

  /**
   * Indexes a tenant's claims and removes them from `open`. An unavailable part fails all of them; a single bad card is
   * found by bisection and set aside, so that it delays no other.
   */
  async #index(
    tenantId: string,
    claims: readonly DirtyCard[],
    open: Set<DirtyCard>,
    { before, onWritten }: BatchOrder,
  ): Promise<void> {
    const { outbox, generations, background, log } = this.parts;
    const { signal } = this.#loop;
    const beganMs = performance.now();
    try {
      const writable = await generations.writable(tenantId);
      const prepared = await prepareCards(this.parts, tenantId, claims, writable, signal);
      await before.written;
      signal.throwIfAborted();
      await outbox.done(await writeCards(this.parts, prepared, onWritten));
      // The live index answers while the next one is built: nobody waits for that.
      if (writable.length > 1) await background.rest(performance.now() - beganMs, signal, this.#hurried.signal);
    } catch (thrown) {
      const error = asError(thrown);
      if (error instanceof UnavailableError || signal.aborted) throw error;
      const [only] = claims;
      if (only === undefined || claims.length > 1) {
        const middle = Math.ceil(claims.length / 2);
        const order = { before, onWritten: NOT_YET };
        await this.#index(tenantId, claims.slice(0, middle), open, order);
        await this.#index(tenantId, claims.slice(middle), open, order);
        return;
      }
      const retryMs = retryAfterMs(only.attempts, Math.random);
      log.error({ err: error, cardId: only.cardId, attempts: only.attempts, retryMs }, 'a card could not be indexed');
      await outbox.fail(only, error.message, retryMs);
    }
    for (const claim of claims) open.delete(claim);
  }
}
