import { asError } from '../domain/errors.js';
import type { VectorStore } from '../domain/ports/collections.js';
import type { Generation, IndexLedger } from '../domain/ports/ledger.js';
import type { Log } from '../domain/ports/log.js';
import type { EmbedderSource } from '../domain/ports/models.js';
import type { VectorCache } from '../domain/ports/vectors.js';

interface Parts {
  readonly ledger: Pick<IndexLedger, 'generations' | 'promote' | 'dropGeneration'>;
  readonly vectorStore: Pick<VectorStore, 'drop'>;
  readonly cache: Pick<VectorCache, 'drop'>;
  readonly embedders: Pick<EmbedderSource, 'retire'>;
  readonly onDropped: (generation: Generation) => void;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** After a promotion, the replaced generation is dropped within this time: longer than searches still read it. */
const DROPPED_WITHIN_MS = 15_000;

/** Minimum interval of promotions while batch follows batch, in ms. */
const PROMOTE_MS = 1_000;

/** Wait after a generation could not be dropped: each attempt delays indexing, and Chroma may be away for hours. */
const DROP_AGAIN_MS = 30_000;

/** Promotes complete generations and drops retired ones; one caller at a time. */
export class Promotion {
  /** Tenants with indexed cards since their generations were last tried. */
  readonly #indexed = new Set<string>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #promotedAt = Number.NEGATIVE_INFINITY;
  #dropFailedAt = Number.NEGATIVE_INFINITY;
  #isFailing = false;

  constructor(private readonly parts: Parts) {}

  /** As {@link Generations.settle}. */
  async settle(indexed: Iterable<string> | 'all'): Promise<boolean> {
    if (indexed !== 'all') this.#add(indexed);
    const present = await this.#promote(indexed === 'all' ? () => true : (tenantId) => this.#indexed.has(tenantId));
    const retired = present.filter(({ state }) => state === 'retired');
    if (performance.now() - this.#dropFailedAt >= DROP_AGAIN_MS) await this.#dropAll(retired);
    const isBuilding = present.some(({ state }) => state === 'building');
    return !isBuilding && performance.now() - this.#promotedAt > DROPPED_WITHIN_MS;
  }

  async promoteSometimes(indexed: Iterable<string>): Promise<void> {
    this.#add(indexed);
    if (performance.now() - this.#lookedAt >= PROMOTE_MS)
      await this.#promote((tenantId) => this.#indexed.has(tenantId));
  }

  #add(tenantIds: Iterable<string>): void {
    for (const tenantId of tenantIds) this.#indexed.add(tenantId);
  }

  /** Returns the generations that were building or retired before. Each one that is tried is a transaction. */
  async #promote(isTried: (tenantId: string) => boolean): Promise<readonly Generation[]> {
    const { ledger, log } = this.parts;
    const present = await ledger.generations({ unsettled: true });
    const tried = present.filter(({ tenantId, state }) => state === 'building' && isTried(tenantId));
    this.#indexed.clear();
    for (const { tenantId, number } of tried) {
      if (!(await ledger.promote(tenantId, number))) continue;
      log.info({ tenantId, generation: number }, 'the index generation is live');
      this.#promotedAt = performance.now();
    }
    this.#lookedAt = performance.now();
    return present;
  }

  /** One that cannot be dropped does not keep the others. */
  async #dropAll(retired: readonly Generation[]): Promise<void> {
    const failures: Error[] = [];
    for (const generation of retired) {
      await this.#drop(generation).catch((thrown: unknown) => failures.push(asError(thrown)));
    }
    const [err] = failures;
    if (err !== undefined) this.#dropFailedAt = performance.now();
    if (err !== undefined && !this.#isFailing) {
      const facts = { err, generations: failures.length };
      this.parts.log.warn(facts, 'retired index generations could not be dropped yet; it will be retried');
    }
    this.#isFailing = err !== undefined;
  }

  async #drop(generation: Generation): Promise<void> {
    const { ledger, vectorStore, cache, embedders, onDropped } = this.parts;
    await vectorStore.drop(generation);
    await cache.drop(generation.tenantId, generation.number);
    await ledger.dropGeneration(generation.tenantId, generation.number);
    onDropped(generation);
    const left = await ledger.generations({ modelKey: generation.modelKey });
    if (left.length === 0) await embedders.retire(generation.modelKey);
  }
}
