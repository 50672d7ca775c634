import { IndexLostError, UnavailableError } from '../domain/errors.js';
import type { VectorStore } from '../domain/ports/collections.js';
import type { Generation, IndexLedger } from '../domain/ports/ledger.js';
import type { Log } from '../domain/ports/log.js';
import { type Embedder, type EmbedderSource, modelKey } from '../domain/ports/models.js';
import type { VectorCache } from '../domain/ports/vectors.js';
import { Turns } from '../domain/turns.js';
import { DEFAULT_VIEWER } from '../domain/viewer.js';
import { Promotion } from './promotion.js';

interface Parts {
  readonly ledger: IndexLedger;
  /**
   * Tenants with more cards, or very many passages, and the default tenant have their vectors in Chroma, others in
   * PostgreSQL; 0: all in Chroma.
   */
  readonly chromaAboveCards: number;
  readonly vectorStore: Pick<VectorStore, 'create' | 'drop' | 'probe' | 'isNearlyFull'>;
  readonly cache: VectorCache;
  readonly embedders: EmbedderSource;
  /**
   * The Chroma of a gateway that has used the database for longer, if it has another address than this one's; null
   * otherwise. Absent: no other gateway can use the database.
   */
  readonly olderChroma?: () => Promise<string | null>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** A generation that is kept up to date, and the model of its vectors. */
export interface WritableGeneration {
  readonly generation: Generation;
  readonly embedder: Embedder;
}

/**
 * The generations of each tenant's index. A new one is built beside the live one by marking every card dirty, and
 * replaces it atomically when it holds every card; the old one is dropped after the searches that were reading it.
 */
export class Generations {
  /** Live generations that lost a collection: no longer written, so that their replacement can be built. */
  readonly #lost = new Set<string>();
  readonly #promotion: Promotion;
  /** Of two callers with the same reason for a new generation, the second finds it started. */
  readonly #turns = new Turns(1);

  constructor(private readonly parts: Parts) {
    this.#promotion = new Promotion({ ...parts, onDropped: (one) => void this.#lost.delete(nameOf(one)) });
  }

  /**
   * The tenant's generations that the indexer writes; a tenant without any gets its first. UnavailableError if one is
   * being built with a model that only another gateway has: its cards must stay dirty.
   */
  async writable(tenantId: string): Promise<readonly WritableGeneration[]> {
    await this.moveIfOutgrown(tenantId);
    const present = (await this.parts.ledger.generations({ tenantId })).filter(({ state }) => state !== 'retired');
    const whole = present.filter((one) => !this.#lost.has(nameOf(one)));
    if (whole.length === 0) whole.push(await this.begin(tenantId, present[0]?.number ?? null));
    const writable = whole.flatMap((generation) => {
      const embedder = this.parts.embedders.of(generation.modelKey);
      return embedder === null ? [] : [{ generation, embedder }];
    });
    const foreign = whole.find(
      (one) => one.state === 'building' && writable.every(({ generation }) => generation !== one),
    );
    if (foreign !== undefined || writable.length === 0) {
      const { modelKey: key } = foreign ?? (whole[0] as Generation);
      throw new UnavailableError(
        'embedder',
        `an index was built with the model ${key}, which this gateway does not have`,
      );
    }
    return writable;
  }

  /** Begins a generation in Chroma if the newest one is in PostgreSQL and has become too large for it. */
  async moveIfOutgrown(tenantId: string): Promise<void> {
    const { ledger, chromaAboveCards, log } = this.parts;
    const outgrown = await ledger.outgrown(tenantId, chromaAboveCards);
    if (outgrown === null) return;
    log.info({ tenantId, generation: outgrown }, 'the tenant has outgrown PostgreSQL; building its index in Chroma');
    await this.begin(tenantId, outgrown);
  }

  /** The tenants with a generation of another model than the configured one. */
  async outdated(): Promise<readonly string[]> {
    const { ledger, embedders } = this.parts;
    const others = await ledger.generations({ notOfModel: modelKey(embedders.current.model) });
    return [...new Set(others.filter(({ state }) => state !== 'retired').map(({ tenantId }) => tenantId))];
  }

  /**
   * Makes the tenant's newest generation one of the configured model: starts it, and retires one that is being built
   * for another model. For the tenants that were {@link outdated} at the start: a gateway with older settings does not
   * undo what a newer one started later.
   */
  adopt(tenantId: string): Promise<void> {
    return this.#turns.run(async () => {
      const { ledger, embedders, log } = this.parts;
      const to = modelKey(embedders.current.model);
      const present = await ledger.generations({ tenantId });
      const live = present.find(({ state }) => state === 'live');
      const building = present.find(({ state }) => state === 'building');
      const newest = building ?? live;
      if (newest === undefined || newest.modelKey === to) return;
      log.info(
        { tenantId, from: live?.modelKey, to },
        'the live index was built with another model; building a new generation',
      );
      if (building !== undefined && live?.modelKey === to) await ledger.retireGeneration(tenantId, building.number);
      else await this.#begin(tenantId, newest.number);
    });
  }

  /** The live generations of every tenant without a known damage. */
  async answering(): Promise<readonly Generation[]> {
    const all = await this.parts.ledger.generations();
    return all.filter(
      (one) => one.state === 'live' && this.parts.embedders.of(one.modelKey) !== null && !this.#lost.has(nameOf(one)),
    );
  }

  /**
   * Starts a new generation beside the live one, or returns the one that is being built already. With `replaces` only
   * while that generation is live or being built (null: while there is none); otherwise returns the newest.
   */
  begin(tenantId: string, replaces?: number | null): Promise<Generation> {
    return this.#turns.run(() => this.#begin(tenantId, replaces));
  }

  /**
   * Probes the collections of every generation in Chroma, or of the tenant's; one that lost a collection is replaced,
   * and one with a nearly full collection. A probe may take minutes: other work on generations does not wait.
   */
  async verify({ tenantId, signal }: { tenantId?: string; signal?: AbortSignal } = {}): Promise<void> {
    const all = await this.parts.ledger.generations(tenantId === undefined ? {} : { tenantId });
    for (const generation of all) {
      signal?.throwIfAborted();
      await this.#verify(generation);
    }
    if (tenantId === undefined) await this.#forgetDropped(all);
  }

  /**
   * Promotes complete generations and drops those that no search reads any more. False if it must be called again: a
   * generation is being built, or was replaced just now. `indexed`: the tenants of the last batches. With 'all' a
   * transaction for each generation that is being built, of thousands of tenants after a change of the model.
   */
  settle(indexed: Iterable<string> | 'all'): Promise<boolean> {
    return this.#turns.run(() => this.#promotion.settle(indexed));
  }

  /**
   * Promotes complete generations of tenants of the last batches, at most once a second: the backlog of one tenant must
   * not delay the first index of another. Drops none, so that a batch may be running.
   */
  promoteComplete(indexed: Iterable<string>): Promise<void> {
    return this.#turns.run(() => this.#promotion.promoteSometimes(indexed));
  }

  async #begin(tenantId: string, replaces?: number | null): Promise<Generation> {
    const { ledger, chromaAboveCards, vectorStore, cache, embedders, log } = this.parts;
    const { model } = embedders.current;
    const inChroma =
      tenantId === DEFAULT_VIEWER.tenantId ||
      chromaAboveCards === 0 ||
      (await ledger.needsChroma(tenantId, chromaAboveCards));
    const prepare = async (reserved: Generation): Promise<void> => {
      // A database restored from a backup assigns numbers again: existing collections of this number belong to cards
      // that the backup does not have.
      await vectorStore.drop(reserved);
      await cache.drop(tenantId, reserved.number);
      await vectorStore.create(reserved, model, inChroma ? await ledger.expectedRecords(tenantId) : 0);
    };
    const { generation, isNew } = await ledger.startGeneration(tenantId, modelKey(model), {
      replaces,
      prepare,
      inChroma,
      onUnmarked: (err) =>
        log.warn({ err, tenantId }, 'not all cards could be marked for the new index generation yet'),
    });
    if (isNew) log.info({ tenantId, generation: generation.number, inChroma }, 'building an index generation');
    return generation;
  }

  async #verify(generation: Generation): Promise<void> {
    const { vectorStore, embedders, log } = this.parts;
    const { tenantId, number } = generation;
    const embedder = embedders.of(generation.modelKey);
    if (generation.state === 'retired' || generation.inChroma === false || embedder === null) return;
    if (await this.#isBeingReplaced(generation)) return;
    try {
      await vectorStore.probe(generation, embedder.model);
      if (!(await vectorStore.isNearlyFull(generation))) return;
      log.info({ tenantId, generation: number }, 'a collection is nearly full; building an index with more shards');
      // No-op if its replacement is being built.
      await this.begin(tenantId, number);
    } catch (error) {
      if (!(error instanceof IndexLostError)) throw error;
      await this.#turns.run(() => this.#replace(generation, error));
    }
  }

  async #isBeingReplaced(generation: Generation): Promise<boolean> {
    if (!this.#lost.has(nameOf(generation))) return false;
    const present = await this.parts.ledger.generations({ tenantId: generation.tenantId });
    return present.some((one) => one.number > generation.number && one.state === 'building');
  }

  /**
   * Checks the ledger again: the generation may have been replaced or dropped while it was probed. UnavailableError if
   * it is most likely in the Chroma of an older gateway, which would miss the replacement in turn, and so on for ever.
   */
  async #replace({ tenantId, number }: Generation, { message }: IndexLostError): Promise<void> {
    const { ledger, log } = this.parts;
    const lost = (await ledger.generations({ tenantId })).find((one) => one.number === number);
    if (lost === undefined || lost.state === 'retired' || (await this.#isBeingReplaced(lost))) return;
    const older = await this.parts.olderChroma?.();
    if (typeof older === 'string') {
      const problem = `the index is not in it, and a gateway that has run for longer uses the Chroma at ${older}`;
      const remedy = 'set CHROMA_URL of all gateways to one server; if it is the same server, that gateway rebuilds';
      throw new UnavailableError('chroma', `${problem}: ${remedy} the index`);
    }
    log.warn({ tenantId, generation: number, reason: message }, 'rebuilding the index from PostgreSQL');
    if (lost.state === 'live') this.#lost.add(nameOf(lost));
    await this.#begin(tenantId, number);
  }

  /**
   * Releases generations that another gateway has dropped. Numbers increase: one below all existing ones is dropped,
   * and one that was started since they were read is not below them.
   */
  async #forgetDropped(present: readonly Generation[]): Promise<void> {
    const { cache } = this.parts;
    const oldest = new Map<string, number>();
    for (const { tenantId, number } of present) oldest.set(tenantId, Math.min(number, oldest.get(tenantId) ?? number));
    for (const { tenantId, number } of cache.generations()) {
      if (number < (oldest.get(tenantId) ?? 0)) await cache.drop(tenantId, number);
    }
  }
}

export function nameOf({ tenantId, number }: Generation): string {
  return JSON.stringify([tenantId, number]);
}
