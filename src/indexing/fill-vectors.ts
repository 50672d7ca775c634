import { batches, inTurns } from '../domain/async.js';
import type { Background } from '../domain/background.js';
import { BackgroundLoop } from '../domain/background-loop.js';
import { asError } from '../domain/errors.js';
import type { Generation, IndexLedger } from '../domain/ports/ledger.js';
import type { VectorCache, VectorSource } from '../domain/ports/vectors.js';
import type { Generations } from './generations.js';

/** Cards whose vectors are read at once: some 400 records. Closing waits for them. */
const PAGE = 100;

/** Interval of looking for tenants that were loaded, and generations that became live, in ms: one short statement. */
const EVERY_MS = 15_000;

/** Each generation is compared again after this time, in ms. */
const RECHECK_MS = 15 * 60_000;

/** After a failure, in ms; twice as long after each further one in a row. */
const RETRY_MS = 10_000;
const MAX_RETRY_MS = 5 * 60_000;

export interface VectorFillParts {
  readonly ledger: Pick<IndexLedger, 'revisions'>;
  readonly cache: Pick<VectorCache, 'revision'>;
  /** Reads from the cache, otherwise from Chroma or PostgreSQL, and puts what it read into the cache. */
  readonly stored: VectorSource;
  readonly tenants: { readonly open: ReadonlyMap<string, unknown> };
  readonly generations: Pick<Generations, 'answering'>;
  readonly background: Pick<Background, 'takeAndRest' | 'pause'>;
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
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
      this.#failedPasses = 0;
      return EVERY_MS;
    },
    onFailure: (err) => {
      this.parts.log.warn({ err }, 'the local copy of the vectors could not be filled; it is tried again');
      this.#failedPasses += 1;
      return Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** (this.#failedPasses - 1));
    },
  });
  /** Of the live generation of each tenant in memory: when it was compared last. */
  readonly #comparedAtMs = new Map<string, number>();
  #failedPasses = 0;

  constructor(private readonly parts: VectorFillParts) {}

  start(): void {
    this.#loop.start();
  }

  /** Called when Chroma is back: does not wait any longer after a failure. */
  readonly look = (): void => this.#loop.resume();

  /** Stops after the current page. */
  close(): Promise<void> {
    return this.#loop.close();
  }

  /** Fills every generation that is due. One that fails does not keep the others from it; throws the first error. */
  async pass(): Promise<void> {
    const { generations, tenants } = this.parts;
    const live = (await generations.answering()).filter(({ tenantId }) => tenants.open.has(tenantId));
    // While a tenant is not in memory, its cache does not follow the changes of other gateways.
    const names = new Set(live.map(nameOf));
    for (const name of this.#comparedAtMs.keys()) if (!names.has(name)) this.#comparedAtMs.delete(name);
    const failures: Error[] = [];
    for (const generation of live) {
      const dueMs = (this.#comparedAtMs.get(nameOf(generation)) ?? Number.NEGATIVE_INFINITY) + RECHECK_MS;
      if (performance.now() < dueMs) continue;
      try {
        await this.#fill(generation);
        this.#comparedAtMs.set(nameOf(generation), performance.now());
      } catch (thrown) {
        this.#loop.signal.throwIfAborted();
        failures.push(asError(thrown));
      }
    }
    const [first] = failures;
    if (first !== undefined) throw first;
  }

  async #fill({ tenantId, number }: Generation): Promise<void> {
    const { ledger, cache, stored, background, log } = this.parts;
    const { signal } = this.#loop;
    const started = performance.now();
    const revisions = await ledger.revisions(tenantId, number);
    const lacking: [cardId: string, revision: number][] = [];
    const look = ([cardId, revision]: [string, number]): void => {
      signal.throwIfAborted();
      if ((cache.revision(tenantId, number, cardId) ?? -1) < revision) lacking.push([cardId, revision]);
    };
    await inTurns(revisions, look, background.pause);
    if (lacking.length === 0) return;
    const facts = { tenantId, generation: number, cards: revisions.size, lacking: lacking.length };
    log.info(facts, 'filling the local copy of the vectors');
    let filled = 0;
    for (const page of batches(lacking, PAGE)) {
      signal.throwIfAborted();
      const read = await background.takeAndRest(() => stored.of(tenantId, number, new Map(page), signal));
      if (read.failure !== null) throw read.failure;
      filled += read.vectors.size;
    }
    const tookMs = Math.round(performance.now() - started);
    log.info({ ...facts, filled, tookMs }, 'local copy of the vectors filled');
  }
}

function nameOf({ tenantId, number }: Generation): string {
  return JSON.stringify([tenantId, number]);
}
