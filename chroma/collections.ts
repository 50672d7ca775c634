import { createHmac } from 'node:crypto';
import { ChromaNotFoundError, type Collection } from 'chromadb';
import { eachOf } from '../src/domain/async.js';
import { IndexLostError } from '../src/domain/errors.js';
import { type ModelIdentity, modelKey } from '../src/domain/ports/models.js';
import { Turns } from '../src/domain/turns.js';
import type { ServerLimits } from './address.js';
import { isOutage } from './breaker.js';
import type { CallMode, ChromaConnection } from './client.js';
import { type ShardKey, shardsFor } from './shards.js';

/**
 * HNSW settings; a collection keeps those that it was created with. Notebooks contain many nearly equal cards (one
 * question with other numbers), which a graph with few neighbours per node does not connect well: of 142 such
 * cards all were found by their own vector with M 64, not all with M 16; of 1,000, 87 % with M 64 and 57 % with M 16. A
 * search finds cards through its lexical lanes too. A longer candidate list than 100 while building finds no more, and
 * takes half as long again for each record of a large collection (`npm run bench -- reach`).
 */
export const HNSW = { space: 'cosine', ef_construction: 100, ef_search: 200, max_neighbors: 64 } as const;

/** No record has this id: ids begin with the card's id. */
const NO_RECORD = '#';

/** In the metadata of a collection, incremented when the format of records changes: from 2 on vectors are shifted. */
const SCHEMA_VERSION = 2;

/** Whether the vectors of a collection are shifted. Collections that earlier versions created keep their format. */
export function isShifted({ metadata }: Pick<Collection, 'metadata'>): boolean {
  return Number(metadata?.schema_version) >= SCHEMA_VERSION;
}

export interface CallGuard {
  /** Called before each call: UnavailableError if this gateway may not use the collections. */
  check(mode: CallMode): Promise<void>;
}

/**
 * The collections of one database: four for each tenant and generation. Names differ between databases and tenants. One
 * with more records than the server allows has shards, each a collection for Chroma; their number is in the metadata of
 * the first, which is created before the others and deleted after them.
 */
export class ChromaCollections {
  /** A handle keeps the URL and the deadline of the client that created it. */
  readonly #handles = new Map<string, { readonly url: string; readonly handle: Collection }>();
  /** Collections that have answered since the server started and since they last failed to, by URL and name. */
  readonly #loaded = new Set<string>();
  /** First answers that are waited for; see {@link #load}. */
  readonly #loads = new Map<string, Promise<void>>();
  /** Calls that wait for their turn, by collection: reads and writes apart. */
  readonly #turns = new Map<string, Turns>();

  /** @param installationId identifies the database of the cards; several databases may share one Chroma. */
  constructor(
    private readonly chroma: ChromaConnection,
    private readonly installationId: string,
    private readonly guard: CallGuard = { check: async () => undefined },
  ) {
    chroma.onRestart(() => this.#loaded.clear());
  }

  get limits(): ServerLimits {
    return this.chroma.limits;
  }

  /** No-op if it exists. `records`: how many it should have room for. */
  async create(key: ShardKey, model: ModelIdentity, records: number): Promise<void> {
    const shards = shardsFor(records, this.limits.perCollection);
    const first = await this.#create(key, model, shards);
    await atOnce(shardKeys(key, first).slice(1), (shard) => this.#create(shard, model));
  }

  async #create(key: ShardKey, model: ModelIdentity, shards = 1): Promise<Collection> {
    const name = this.#name(key);
    const metadata = {
      model: modelKey(model),
      dims: model.dims,
      dtype: model.dtype,
      schema_version: SCHEMA_VERSION,
      perspective: key.perspective,
      generation: key.generation,
      ...(shards > 1 && { shards }),
    };
    await this.guard.check('write');
    const { url } = this.chroma;
    const handle = await this.chroma.call('write', (client) =>
      client.getOrCreateCollection({ name, configuration: { hnsw: HNSW }, metadata, embeddingFunction: null }),
    );
    this.#handles.set(handleName('write', name), { url, handle });
    return handle;
  }

  /** The keys of the collection's shards; its own if it has one. */
  async shards(mode: CallMode, key: ShardKey): Promise<readonly ShardKey[]> {
    const name = this.#name(key);
    const known = this.#handles.get(handleName(mode, name));
    if (known?.url === this.chroma.url) return shardKeys(key, known.handle);
    await this.guard.check(mode);
    // Not as a write: its answer would say nothing of whether the server can write.
    const first = await this.chroma.call(mode === 'write' ? 'background' : mode, (client) =>
      client.getCollection({ name }),
    );
    return shardKeys(key, first);
  }

  /** No-op if it does not exist. */
  async drop(key: ShardKey): Promise<void> {
    await this.guard.check('write');
    const first = await this.#found(key);
    if (first) await atOnce(shardKeys(key, first).slice(1), (shard) => this.#drop(shard));
    else await this.#dropFrom(1, key);
    await this.#drop(key);
  }

  /**
   * Of a collection whose first shard is lost, and with it the number of the others. The last one goes first, so that
   * what a failure leaves is found again.
   */
  async #dropFrom(shard: number, key: ShardKey): Promise<void> {
    if (!(await this.#found({ ...key, shard }))) return;
    await this.#dropFrom(shard + 1, key);
    await this.#drop({ ...key, shard });
  }

  #found(key: ShardKey): Promise<Collection | undefined> {
    // Caught within the call: a missing collection must not be reported as lost.
    return this.chroma.call('background', (client) =>
      client.getCollection({ name: this.#name(key) }).catch(unlessNotFound),
    );
  }

  async #drop(key: ShardKey): Promise<void> {
    const name = this.#name(key);
    for (const mode of ['read', 'background', 'write', 'load'] as const) this.#handles.delete(handleName(mode, name));
    for (const mode of ['read', 'write'] as const) this.#turns.delete(handleName(mode, name));
    this.#loaded.delete(`${this.chroma.url} ${name}`);
    await this.guard.check('write');
    await this.chroma.call('write', (client) => client.deleteCollection({ name }).catch(unlessNotFound));
  }

  /**
   * Runs a call on one collection, or shard, with a cached handle. Another gateway may have recreated it, so the handle
   * is looked up once more before an IndexLostError is thrown.
   */
  async use<T>(mode: CallMode, key: ShardKey, run: (collection: Collection) => Promise<T>): Promise<T> {
    const name = this.#name(key);
    if (mode === 'load') return this.#call(mode, key, name, run);
    const place = `${this.chroma.url} ${name}`;
    if (!this.#loaded.has(place)) {
      const load = this.#loads.get(place) ?? this.#load(place, key, name);
      await (mode === 'write' ? load : this.chroma.waitAsForRead(load));
    }
    try {
      return await this.#call(mode, key, name, run);
    } catch (thrown) {
      if (isOutage(thrown)) this.#loaded.delete(place);
      throw thrown;
    }
  }

  /**
   * The first call of a collection after a start of the server is answered when the server has loaded it. A load whose
   * caller goes away starts from the beginning with the next call: of a server that was killed amid writes, calls with
   * the deadline of reads got no answer for minutes. So one call with the deadline of loads comes first, and all others
   * wait for it.
   */
  #load(place: string, key: ShardKey, name: string): Promise<void> {
    const load = this.#call('load', key, name, (collection) => collection.count())
      .then(() => void this.#loaded.add(place))
      .finally(() => this.#loads.delete(place));
    this.#loads.set(place, load);
    // A reader may have gone before it fails.
    load.catch(() => undefined);
    return load;
  }

  async #call<T>(mode: CallMode, key: ShardKey, name: string, run: (collection: Collection) => Promise<T>): Promise<T> {
    await this.guard.check(mode);
    const turns = this.#turnsOf(mode, name);
    return turns === null ? this.#use(mode, key, name, run) : turns.run(() => this.#use(mode, key, name, run));
  }

  #turnsOf(mode: CallMode, name: string): Turns | null {
    const { concurrent } = this.limits;
    if (concurrent === Number.POSITIVE_INFINITY) return null;
    const kind = handleName(mode === 'write' ? 'write' : 'read', name);
    const turns = this.#turns.get(kind) ?? new Turns(concurrent);
    this.#turns.set(kind, turns);
    return turns;
  }

  async #use<T>(mode: CallMode, key: ShardKey, name: string, run: (collection: Collection) => Promise<T>): Promise<T> {
    const settle = mode === 'write' ? undefined : () => this.settle(key);
    const { url } = this.chroma;
    const known = this.#handles.get(handleName(mode, name));
    if (known?.url === url) {
      try {
        return await this.chroma.call(mode, () => run(known.handle), settle);
      } catch (error) {
        if (!(error instanceof IndexLostError)) throw error;
        this.#handles.delete(handleName(mode, name));
      }
    }
    const found = await this.chroma.call(mode, (client) => client.getCollection({ name }));
    this.#handles.set(handleName(mode, name), { url, handle: found });
    return this.chroma.call(mode, () => run(found), settle);
  }

  /**
   * Waits until earlier writes are applied to the whole collection, including its graph, by a write that changes
   * nothing: Chroma applies the writes of a collection in order, and answers each after it is applied.
   */
  async settle(key: ShardKey): Promise<void> {
    await this.#call('write', key, this.#name(key), (collection) =>
      collection.update({ ids: [NO_RECORD], metadatas: [{ revision: 0 }] }),
    );
  }

  /**
   * `errata-<database>-<tenant>-g<generation>-<perspective>`, and for further shards `-2`, `-3`, ...: tenant ids are
   * hashed to keep them private.
   */
  #name({ tenantId, generation, perspective, shard = 0 }: ShardKey): string {
    const tenant = createHmac('sha256', this.installationId).update(tenantId).digest('hex').slice(0, 16);
    const name = `${databasePrefix(this.installationId)}${tenant}-g${generation}-${perspective}`;
    return shard === 0 ? name : `${name}-${shard + 1}`;
  }
}

/** The prefix of the names of a database's collections. */
export function databasePrefix(installationId: string): string {
  return `errata-${installationId.replaceAll('-', '').slice(0, 12)}-`;
}

function shardKeys(key: ShardKey, { metadata }: Pick<Collection, 'metadata'>): readonly ShardKey[] {
  return Array.from({ length: Number(metadata?.shards ?? 1) }, (_, shard) => (shard === 0 ? key : { ...key, shard }));
}

/** Throws only after all calls have ended, so that nothing is changed afterwards. */
export function atOnce<T>(items: readonly T[], call: (item: T) => Promise<unknown>): Promise<void> {
  return eachOf(items, items.length, call);
}

function unlessNotFound(thrown: unknown): undefined {
  if (!(thrown instanceof ChromaNotFoundError)) throw thrown;
}

function handleName(mode: CallMode, name: string): string {
  return `${mode} ${name}`;
}
