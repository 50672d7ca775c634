import { IndexLostError, UnavailableError } from '../domain/errors.js';
import type { Collections } from '../domain/ports/collections.js';
import type { Generation, IndexLedger } from '../domain/ports/ledger.js';
import { type Embedder, type EmbedderSource, modelKey } from '../domain/ports/models.js';
import type { VectorCache } from '../domain/ports/vectors.js';

interface Parts {
  readonly ledger: IndexLedger;
  readonly collections: Collections;
  readonly cache: VectorCache;
  readonly embedders: EmbedderSource;
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
}

/** After a promotion, the generation that was replaced can be dropped within this: longer than it is still read. */
const DROPPED_WITHIN_MS = 15_000;

/** A generation that must hold what PostgreSQL does, and the model that its vectors are of. */
export interface WritableGeneration {
  readonly generation: Generation;
  readonly embedder: Embedder;
}

/**
 * The versions of each tenant's index. A new one is built beside the live one by marking every card dirty, takes its place
 * at once when it lacks no card, and the old one is dropped after the searches that were reading it.
 */
export class Generations {
  readonly #parts: Parts;
  /** Live generations that lost a collection: not written any more, so that the one that replaces them can be. */
  readonly #lost = new Set<string>();
  #lastTurn: Promise<unknown> = Promise.resolve();
  #promotedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * The tenant's generations that must hold what PostgreSQL does; a tenant without any gets its first. UnavailableError where
   * one is being built for a model that only another gateway has: a card that is not in it must stay dirty.
   */
  async writable(tenantId: string): Promise<readonly WritableGeneration[]> {
    const all = await this.#parts.ledger.generations();
    const present = all.filter((one) => one.tenantId === tenantId && one.state !== 'retired');
    const whole = present.filter((one) => !this.#lost.has(nameOf(one)));
    if (whole.length === 0) whole.push(await this.begin(tenantId, present[0]?.number ?? null));
    const writable = whole.flatMap((generation) => {
      const embedder = this.#parts.embedders.of(generation.modelKey);
      return embedder === null ? [] : [{ generation, embedder }];
    });
    const foreign = whole.find(
      (one) => one.state === 'building' && writable.every(({ generation }) => generation !== one),
    );
    if (foreign !== undefined || writable.length === 0) {
      const { modelKey: key } = foreign ?? (whole[0] as Generation);
      throw new UnavailableError('embedder', `an index is of the model ${key}, which this gateway does not have`);
    }
    return writable;
  }

  /**
   * Makes each tenant's newest generation one of the model of the settings: begins it, or gives up the one that was begun for
   * another. Once, at a start: a gateway that runs with older settings does not undo what a newer one began.
   */
  adopt(): Promise<void> {
    return this.#inTurn(async () => {
      const { ledger, embedders, log } = this.#parts;
      const to = modelKey(embedders.current.model);
      const present = (await ledger.generations()).filter(({ state }) => state !== 'retired');
      for (const tenantId of new Set(present.map((one) => one.tenantId))) {
        const ofTenant = present.filter((one) => one.tenantId === tenantId);
        const live = ofTenant.find(({ state }) => state === 'live');
        const building = ofTenant.find(({ state }) => state === 'building');
        if ((building ?? live)?.modelKey === to) continue;
        log.info({ tenantId, from: live?.modelKey, to }, 'the index is of another model than the settings name');
        if (building !== undefined && live?.modelKey === to) await ledger.retireGeneration(tenantId, building.number);
        else await this.#begin(tenantId, (building ?? live)?.number);
      }
    });
  }

  /** The live generations that are whole as far as is known, of every tenant. */
  async answering(): Promise<readonly Generation[]> {
    const all = await this.#parts.ledger.generations();
    return all.filter(
      (one) => one.state === 'live' && this.#parts.embedders.of(one.modelKey) !== null && !this.#lost.has(nameOf(one)),
    );
  }

  /**
   * Begins a new generation beside the live one, or answers the one that is being built already. With `replaces` only as long as
   * that generation is live or being built (null: as long as there is none); else answers the newest.
   */
  begin(tenantId: string, replaces?: number | null): Promise<Generation> {
    return this.#inTurn(() => this.#begin(tenantId, replaces));
  }

  /** Probes the collections of every generation; one that lost a collection is replaced. */
  verify(): Promise<void> {
    return this.#inTurn(() => this.#verify());
  }

  /**
   * Promotes what is complete and drops what nobody reads any more. False where there is something to come back for: a generation
   * that is being built, or one that was replaced only just.
   */
  settle(): Promise<boolean> {
    return this.#inTurn(() => this.#settle());
  }

  async #begin(tenantId: string, replaces?: number | null): Promise<Generation> {
    const { ledger, collections, cache, embedders, log } = this.#parts;
    const { model } = embedders.current;
    const prepare = async (reserved: Generation): Promise<void> => {
      // A database that was restored from a backup gives numbers out again: what was made under this one is of cards that
      // were lost with what came after the backup.
      await collections.drop(reserved);
      await cache.drop(tenantId, reserved.number);
      await collections.create(reserved, model);
    };
    const { generation, isNew } = await ledger.startGeneration(tenantId, modelKey(model), { replaces, prepare });
    if (isNew) log.info({ tenantId, generation: generation.number }, 'building an index generation');
    return generation;
  }

  async #verify(): Promise<void> {
    const { ledger, collections, embedders } = this.#parts;
    const all = await ledger.generations();
    for (const generation of all) {
      const embedder = embedders.of(generation.modelKey);
      if (generation.state === 'retired' || embedder === null) continue;
      // Its successor is on the way: what was said once need not be said again.
      if (this.#lost.has(nameOf(generation)) && all.some((one) => isSuccessor(one, generation))) continue;
      try {
        await collections.probe(generation, embedder.model);
      } catch (error) {
        if (!(error instanceof IndexLostError)) throw error;
        await this.#replace(generation, error);
      }
    }
  }

  /** The ledger is asked again: another gateway may have replaced and dropped the generation while it was probed. */
  async #replace({ tenantId, number }: Generation, { message }: IndexLostError): Promise<void> {
    const { ledger, log } = this.#parts;
    const present = await ledger.generations();
    const lost = present.find((one) => one.tenantId === tenantId && one.number === number);
    if (lost === undefined || lost.state === 'retired') return;
    log.warn({ generation: number, reason: message }, 'the index is built anew from PostgreSQL');
    if (lost.state === 'live') this.#lost.add(nameOf(lost));
    await this.#begin(tenantId, number);
  }

  async #settle(): Promise<boolean> {
    const { ledger, log } = this.#parts;
    const present = await ledger.generations();
    await this.#forgetDropped(present);
    for (const generation of present) {
      if (generation.state === 'retired') await this.#drop(generation);
      if (generation.state !== 'building') continue;
      if (await ledger.promote(generation.tenantId, generation.number)) {
        log.info({ tenantId: generation.tenantId, generation: generation.number }, 'the index generation is live');
        this.#promotedAt = performance.now();
      }
    }
    const isBuilding = present.some(({ state }) => state === 'building');
    return !isBuilding && performance.now() - this.#promotedAt > DROPPED_WITHIN_MS;
  }

  /**
   * What another gateway has dropped is of no use here either. Numbers grow: one that is below all that there are is gone, and one
   * that was begun since these were read is not below them.
   */
  async #forgetDropped(present: readonly Generation[]): Promise<void> {
    const { cache } = this.#parts;
    for (const { tenantId, number } of cache.generations()) {
      const ofTenant = present.filter((one) => one.tenantId === tenantId);
      if (ofTenant.length > 0 && ofTenant.every((one) => one.number > number)) await cache.drop(tenantId, number);
    }
  }

  async #drop(generation: Generation): Promise<void> {
    const { ledger, collections, cache, embedders } = this.#parts;
    await collections.drop(generation);
    await cache.drop(generation.tenantId, generation.number);
    await ledger.dropGeneration(generation.tenantId, generation.number);
    this.#lost.delete(nameOf(generation));
    const left = await ledger.generations();
    if (left.every((one) => one.modelKey !== generation.modelKey)) await embedders.retire(generation.modelKey);
  }

  /** One at a time: of two callers that find the same reason for a new generation, the second finds it begun. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }
}

function isSuccessor(one: Generation, { tenantId, number }: Generation): boolean {
  return one.tenantId === tenantId && one.number > number && one.state === 'building';
}

function nameOf({ tenantId, number }: Generation): string {
  return JSON.stringify([tenantId, number]);
}
