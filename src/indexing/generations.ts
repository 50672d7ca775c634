import { IndexLostError } from '../errors.js';
import {
  type Collections,
  type Embedder,
  type Generation,
  type IndexLedger,
  modelKey,
  type VectorCache,
} from '../ports.js';

interface Parts {
  readonly ledger: IndexLedger;
  readonly collections: Collections;
  readonly cache: VectorCache;
  readonly embedder: Embedder;
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
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

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The tenant's generations that must hold what PostgreSQL does; a tenant without any gets its first. */
  async writable(tenantId: string): Promise<readonly Generation[]> {
    const all = await this.#parts.ledger.generations();
    const writable = all.filter(
      (one) =>
        one.tenantId === tenantId && one.state !== 'retired' && this.#isOfOurModel(one) && !this.#lost.has(nameOf(one)),
    );
    return writable.length > 0 ? writable : [await this.begin(tenantId)];
  }

  /** The live generations that are whole as far as is known, of every tenant. */
  async answering(): Promise<readonly Generation[]> {
    const all = await this.#parts.ledger.generations();
    return all.filter((one) => one.state === 'live' && this.#isOfOurModel(one) && !this.#lost.has(nameOf(one)));
  }

  /** Begins a new generation beside the live one, or answers the one that is being built already. */
  begin(tenantId: string): Promise<Generation> {
    return this.#inTurn(() => this.#begin(tenantId));
  }

  /** Looks whether the collections are there and answer; a generation that lost one is built anew. */
  verify(): Promise<void> {
    return this.#inTurn(() => this.#verify());
  }

  /** Promotes what is complete and drops what nobody reads any more. */
  settle(): Promise<void> {
    return this.#inTurn(() => this.#settle());
  }

  async #begin(tenantId: string): Promise<Generation> {
    const { ledger, collections, embedder, log } = this.#parts;
    const generation = await ledger.startGeneration(tenantId, modelKey(embedder.model));
    await collections.create(generation, embedder.model);
    log.info({ tenantId, generation: generation.number }, 'building an index generation');
    return generation;
  }

  async #verify(): Promise<void> {
    const { ledger, collections, embedder, log } = this.#parts;
    const all = await ledger.generations();
    for (const generation of all) {
      if (generation.state === 'retired' || !this.#isOfOurModel(generation)) continue;
      // Its successor is on the way: what was said once need not be said again.
      if (this.#lost.has(nameOf(generation)) && all.some((one) => isSuccessor(one, generation))) continue;
      try {
        await collections.probe(generation, embedder.model);
      } catch (error) {
        if (!(error instanceof IndexLostError)) throw error;
        log.warn({ generation: generation.number, reason: error.message }, 'the index is built anew from PostgreSQL');
        if (generation.state === 'building') await this.#drop(generation);
        else this.#lost.add(nameOf(generation));
        await this.#begin(generation.tenantId);
      }
    }
  }

  async #settle(): Promise<void> {
    const { ledger, log } = this.#parts;
    for (const generation of await ledger.generations()) {
      if (generation.state === 'retired') await this.#drop(generation);
      if (generation.state !== 'building') continue;
      if (await ledger.promote(generation.tenantId, generation.number)) {
        log.info({ tenantId: generation.tenantId, generation: generation.number }, 'the index generation is live');
      }
    }
  }

  async #drop(generation: Generation): Promise<void> {
    const { ledger, collections, cache } = this.#parts;
    await collections.drop(generation);
    await cache.drop(generation.tenantId, generation.number);
    await ledger.dropGeneration(generation.tenantId, generation.number);
    this.#lost.delete(nameOf(generation));
  }

  /** One at a time: a generation whose collections are just being made is neither complete nor one that lost them. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  #isOfOurModel(generation: Generation): boolean {
    return generation.modelKey === modelKey(this.#parts.embedder.model);
  }
}

function isSuccessor(one: Generation, { tenantId, number }: Generation): boolean {
  return one.tenantId === tenantId && one.number > number && one.state === 'building';
}

function nameOf({ tenantId, number }: Generation): string {
  return JSON.stringify([tenantId, number]);
}
