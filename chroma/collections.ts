import { createHmac } from 'node:crypto';
import { ChromaNotFoundError, type Collection } from 'chromadb';
import { IndexLostError } from '../src/domain/errors.js';
import { PERSPECTIVES } from '../src/domain/perspective.js';
import type { CollectionKey, Collections } from '../src/domain/ports/collections.js';
import type { Generation } from '../src/domain/ports/ledger.js';
import { type ModelIdentity, modelKey } from '../src/domain/ports/models.js';
import type { CallMode, ChromaConnection } from './client.js';

/**
 * HNSW settings, fixed when a collection is made. Notebooks hold many cards that are nearly alike, one question with other
 * numbers, and among those the graph comes apart where nodes have few neighbours: of 142 such cards, M 16 did
 * not reach 37 by their own vector, M 32 4, M 64 none, at about the same cost in building, querying and re-upserting
 * (`npm run bench -- reach`). Where cards differ, all three reach every one.
 */
export const HNSW = { space: 'cosine', ef_construction: 200, ef_search: 200, max_neighbors: 64 } as const;

/** Records that a probe asks for: a graph that was lost may have got a few again since. */
const PROBED = 10;

/** The id of no record: those of cards begin with the card's id. */
const NO_RECORD = '#';

/** For other tools that read the collections: grows when records are laid out in another way. */
const SCHEMA_VERSION = 1;

/** The collections of one database: four a tenant and generation, named so that no two databases or tenants can meet. */
export class ChromaCollections implements Collections {
  readonly #chroma: ChromaConnection;
  readonly #installationId: string;
  /** A handle goes on asking the address that it was got from, under the deadline that it was got under. */
  readonly #handles = new Map<string, { readonly url: string; readonly handle: Collection }>();

  /** @param installationId names the database that the cards are in; many databases may share one Chroma. */
  constructor(chroma: ChromaConnection, installationId: string) {
    this.#chroma = chroma;
    this.#installationId = installationId;
  }

  async create(generation: Generation, model: ModelIdentity): Promise<void> {
    for (const perspective of PERSPECTIVES) {
      const name = this.#name({ tenantId: generation.tenantId, generation: generation.number, perspective });
      const metadata = {
        model: modelKey(model),
        dims: model.dims,
        dtype: model.dtype,
        schema_version: SCHEMA_VERSION,
        perspective,
        generation: generation.number,
      };
      const { url } = this.#chroma;
      const handle = await this.#chroma.call('write', (client) =>
        client.getOrCreateCollection({ name, configuration: { hnsw: HNSW }, metadata, embeddingFunction: null }),
      );
      this.#handles.set(handleName('write', name), { url, handle });
    }
  }

  async drop(generation: Generation): Promise<void> {
    for (const perspective of PERSPECTIVES) {
      const name = this.#name({ tenantId: generation.tenantId, generation: generation.number, perspective });
      for (const mode of ['read', 'write', 'load'] as const) this.#handles.delete(handleName(mode, name));
      // Caught within the call: a collection that is not there was not lost.
      await this.#chroma.call('write', (client) => client.deleteCollection({ name }).catch(unlessNotFound));
    }
  }

  /**
   * With a deadline of its own: the first query of a collection after a server's start reads the whole graph from the disk
   * and adds what was not yet in it, which takes seconds where there are tens of thousands of records. A server that lost
   * the graph's files begins an empty one and says nothing: its queries answer fewer records than there are. So do those of a
   * healthy one amid a write, which counts before it is in the graph: the graph counts as lost only after waiting for the write.
   */
  async probe(generation: Generation, model: ModelIdentity): Promise<void> {
    const anywhere = Array.from({ length: model.dims }, () => 1 / Math.sqrt(model.dims));
    for (const perspective of PERSPECTIVES) {
      const key = { tenantId: generation.tenantId, generation: generation.number, perspective };
      const count = (): Promise<number> => this.use('load', key, (collection) => collection.count());
      const found = async (): Promise<number> => {
        const query = { queryEmbeddings: [anywhere], nResults: PROBED, include: ['distances' as const] };
        return (await this.use('load', key, (collection) => collection.query(query))).ids[0]?.length ?? 0;
      };
      const before = await count();
      if ((await found()) >= Math.min(PROBED, before)) continue;
      const counted = await count();
      await this.#settle(key);
      const reached = await found();
      // Records may have been removed since they were counted.
      const left = await count();
      if (reached < Math.min(PROBED, counted, left)) {
        throw new IndexLostError(`a query of ${perspective} finds ${reached} of ${left} records`);
      }
    }
  }

  async count(key: CollectionKey): Promise<number> {
    return this.use('read', key, (collection) => collection.count());
  }

  /**
   * Runs a call on one collection, whose handle is remembered. A handle can outlive its collection (made anew by another
   * gateway): it is looked up once more before IndexLostError is the answer.
   */
  async use<T>(mode: CallMode, key: CollectionKey, run: (collection: Collection) => Promise<T>): Promise<T> {
    const name = this.#name(key);
    const settle = mode === 'write' ? undefined : () => this.#settle(key);
    const { url } = this.#chroma;
    const known = this.#handles.get(handleName(mode, name));
    if (known?.url === url) {
      try {
        return await this.#chroma.call(mode, () => run(known.handle), settle);
      } catch (error) {
        if (!(error instanceof IndexLostError)) throw error;
        this.#handles.delete(handleName(mode, name));
      }
    }
    const found = await this.#chroma.call(mode, (client) => client.getCollection({ name }));
    this.#handles.set(handleName(mode, name), { url, handle: found });
    return this.#chroma.call(mode, () => run(found), settle);
  }

  /**
   * Waits until the writes that were under way are in the whole collection, its graph too, by a write that changes nothing: Chroma
   * applies the writes of a collection in order, and answers each when it is applied.
   */
  async #settle(key: CollectionKey): Promise<void> {
    await this.use('write', key, (collection) => collection.update({ ids: [NO_RECORD], metadatas: [{ revision: 0 }] }));
  }

  /** `errata-<database>-<tenant>-g<generation>-<perspective>`: tenants are hashed, so that their names stay private. */
  #name({ tenantId, generation, perspective }: CollectionKey): string {
    const database = this.#installationId.replaceAll('-', '').slice(0, 12);
    const tenant = createHmac('sha256', this.#installationId).update(tenantId).digest('hex').slice(0, 16);
    return `errata-${database}-${tenant}-g${generation}-${perspective}`;
  }
}

function unlessNotFound(thrown: unknown): void {
  if (!(thrown instanceof ChromaNotFoundError)) throw thrown;
}

function handleName(mode: CallMode, name: string): string {
  return `${mode} ${name}`;
}
