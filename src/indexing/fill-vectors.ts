import { batches } from '../domain/async.js';
import type { Background } from '../domain/background.js';
import { BackgroundLoop } from '../domain/background-loop.js';
import type { Generation, IndexLedger } from '../domain/ports/ledger.js';
import type { Log } from '../domain/ports/log.js';
import type { VectorCache, VectorSource } from '../domain/ports/vectors.js';
import { inTurns } from '../domain/steps.js';
import { type Generations, nameOf } from './generations.js';

/** Cards whose vectors are read at once: some 400 records. */
const PAGE = 100;

/** Interval of looking for tenants that were loaded, and generations that became live, in ms: one short statement. */
const EVERY_MS = 15_000;

/** Each generation is compared again after this time, in ms. */
const RECHECK_MS = 15 * 60_000;

/** After a failure, in ms. */
const RETRY_MS = 30_000;

export interface VectorFillParts {
  readonly ledger: Pick<IndexLedger, 'revisions'>;
  readonly cache: Pick<VectorCache, 'revision'>;
  /** Reads from the cache, otherwise from Chroma or PostgreSQL, and puts what it read into the cache. */
  readonly stored: VectorSource;
  readonly tenants: { readonly open: ReadonlyMap<string, unknown> };
  readonly generations: Pick<Generations, 'answering'>;
  readonly background: Pick<Background, 'pause' | 'rest'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * Reads the vectors that the local cache lacks of the tenants in memory, as after its file was lost: searches would
 * read them card by card, and take four times as long until then. Only what the ledger lists is read; records that are
 * lost or being written are left to reconciliation and the indexer.
 */
export class VectorFill {
  readonly #loop = new BackgroundLoop({
    pass: async () => {
      await this.pass();
      return EVERY_MS;
    },
    onFailure: (err) => {
      this.parts.log.warn({ err }, 'the local copy of the vectors could not be compared; it is tried again');
      return RETRY_MS;
    },
  });
  /** The current page is abandoned. */
  readonly close = this.#loop.close;
  /** Of the live generation of each tenant in memory: when it is compared again. */
  readonly #dueMs = new Map<string, number>();

  constructor(private readonly parts: VectorFillParts) {}

  start(): void {
    this.#loop.start();
  }

  /** Fills every generation that is due; one that fails does not keep the others from it. */
  async pass(): Promise<void> {
    const { generations, tenants } = this.parts;
    const live = (await generations.answering()).filter(({ tenantId }) => tenants.open.has(tenantId));
    // While a tenant is not in memory, its cache does not follow the changes of other gateways.
    const names = new Set(live.map(nameOf));
    for (const name of this.#dueMs.keys()) if (!names.has(name)) this.#dueMs.delete(name);
    for (const generation of live) {
      if (performance.now() < (this.#dueMs.get(nameOf(generation)) ?? Number.NEGATIVE_INFINITY)) continue;
      this.#dueMs.set(nameOf(generation), (await this.#filled(generation)) + performance.now());
    }
  }

  /** Returns after how many ms it is to be compared again. */
  async #filled(generation: Generation): Promise<number> {
    try {
      await this.#fill(generation);
      return RECHECK_MS;
    } catch (err) {
      this.#loop.signal.throwIfAborted();
      const { tenantId } = generation;
      this.parts.log.warn({ err, tenantId }, 'the local copy of the vectors could not be filled; it is tried again');
      return RETRY_MS;
    }
  }

  async #fill(generation: Generation): Promise<void> {
    const { tenantId, number } = generation;
    const { ledger, stored, background, log } = this.parts;
    const { signal } = this.#loop;
    const started = performance.now();
    const revisions = await ledger.revisions(tenantId, number);
    const lacking: [cardId: string, revision: number][] = [];
    const look = ([cardId, revision]: [string, number]): void => {
      signal.throwIfAborted();
      if (!this.#has(generation, cardId, revision)) lacking.push([cardId, revision]);
    };
    await inTurns(revisions, look, background.pause);
    if (lacking.length === 0) return;
    const facts = { tenantId, generation: number, cards: revisions.size, lacking: lacking.length };
    log.info(facts, 'filling the local copy of the vectors');
    let filled = 0;
    for (const page of batches(lacking, PAGE)) {
      signal.throwIfAborted();
      await background.pause();
      const beganMs = performance.now();
      const { failure } = await stored.of(tenantId, number, new Map(page), signal);
      if (failure !== null) throw failure;
      for (const [cardId, revision] of page) if (this.#has(generation, cardId, revision)) filled += 1;
      await background.rest(performance.now() - beganMs, signal);
    }
    const tookMs = Math.round(performance.now() - started);
    log.info({ ...facts, filled, tookMs }, 'local copy of the vectors filled');
  }

  #has({ tenantId, number }: Generation, cardId: string, revision: number): boolean {
    return (this.parts.cache.revision(tenantId, number, cardId) ?? -1) >= revision;
  }
}
