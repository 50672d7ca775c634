import { slicesOf } from '../src/domain/async.js';
import { IndexLostError, UnavailableError } from '../src/domain/errors.js';
import {
  type CollectionKey,
  type Collections,
  type Neighbour,
  type PassageRecord,
  type RecordInspector,
  type RecordLabel,
  recordId,
  type VectorReader,
  type VectorStore,
  type VectorWriter,
} from '../src/domain/ports/collections.js';
import type { Generation } from '../src/domain/ports/ledger.js';
import type { StoredRecord } from '../src/domain/ports/vectors.js';
import type { Database } from './client.js';
import { Prisma } from './generated/client.js';
import { bytesOf, dot, floatsOf, isIn, isPresent, joined, placesOf, rowsOf } from './vector-rows.js';

/** Records a statement: 1 MB of vectors of 512 dimensions. */
const BATCH = 500;

/** More vectors than this are not compared one by one: the tenant's collections in Chroma are being built. */
const MOST_COMPARED = 5_000;

interface RecordRow {
  /** Null in the one row of a collection without such records. */
  readonly cardId: string | null;
  readonly passage: number;
  readonly revision: number;
  readonly contentHash: string;
}

type VectorRow = RecordRow & { readonly vector: Uint8Array };

/** The vectors of small tenants: a few hundred cards are compared as fast as a graph of them is searched. */
export class PostgresVectors implements Collections, VectorReader, VectorWriter, RecordInspector {
  constructor(private readonly database: Database) {}

  get store(): VectorStore {
    return { collections: this, reader: this, writer: this, inspector: this };
  }

  async create(): Promise<void> {
    // A generation without records needs nothing.
  }

  async drop({ tenantId, number }: Generation): Promise<void> {
    await this.database.run(({ indexVector }) => indexVector.deleteMany({ where: { tenantId, generation: number } }));
  }

  async probe({ tenantId, number }: Generation): Promise<void> {
    await this.count({ tenantId, generation: number, perspective: 'question' });
  }

  async count(key: CollectionKey): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(Prisma.sql`
      SELECT (SELECT count(*)::int FROM index_vector r WHERE ${isIn(key)}) AS count
      FROM index_generation g WHERE ${isPresent(key)}`);
    if (row === undefined) throw lost(key);
    return row.count;
  }

  /** Compares with every vector of the perspective. */
  async nearest(
    key: CollectionKey,
    vector: Float32Array,
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly Neighbour[]> {
    signal.throwIfAborted();
    const [nearest = []] = await this.nearestToEach(key, [vector], limit);
    return nearest;
  }

  async nearestToEach(
    key: CollectionKey,
    vectors: readonly Float32Array[],
    limit: number,
  ): Promise<readonly (readonly Neighbour[])[]> {
    if (vectors.length === 0) return [];
    const rows = await this.#records<VectorRow>(
      key,
      Prisma.sql`, r.vector`,
      Prisma.sql`LEFT JOIN index_vector r ON ${isIn(key)}`,
      Prisma.sql`LIMIT ${MOST_COMPARED + 1}`,
    );
    if (rows.length > MOST_COMPARED) {
      throw new UnavailableError('chroma', 'the collections of this tenant are being built for the first time');
    }
    const stored = rows.map((row) => ({ cardId: row.cardId as string, vector: floatsOf(row.vector) }));
    return vectors.map((query) => {
      const nearest = stored
        .map(({ cardId, vector }) => ({ cardId, similarity: dot(query, vector) }))
        .sort((a, b) => b.similarity - a.similarity)
        .slice(0, limit);
      const cards = new Set<string>();
      return nearest.filter(({ cardId }) => !cards.has(cardId) && cards.add(cardId));
    });
  }

  async read(
    key: CollectionKey,
    recordIds: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, StoredRecord>> {
    const found = new Map<string, StoredRecord>();
    for (const ids of batchesOf(recordIds)) {
      signal.throwIfAborted();
      for (const row of await this.#records<VectorRow>(key, Prisma.sql`, r.vector`, joined(key, ids))) {
        const { contentHash, revision, vector } = row;
        found.set(idOf(row), { contentHash, revision, vector: floatsOf(vector) });
      }
    }
    return found;
  }

  async labels(key: CollectionKey, recordIds: readonly string[]): Promise<ReadonlyMap<string, RecordLabel>> {
    const found = new Map<string, RecordLabel>();
    for (const ids of batchesOf(recordIds)) {
      for (const row of await this.#records<RecordRow>(key, Prisma.empty, joined(key, ids))) {
        const { contentHash, revision } = row;
        found.set(idOf(row), { contentHash, revision, tenantId: key.tenantId });
      }
    }
    return found;
  }

  async list(key: CollectionKey, offset: number, limit: number): Promise<readonly string[]> {
    const rows = await this.#records<RecordRow>(
      key,
      Prisma.empty,
      Prisma.sql`LEFT JOIN index_vector r ON ${isIn(key)}`,
      Prisma.sql`ORDER BY r.card_id, r.passage LIMIT ${limit} OFFSET ${offset}`,
    );
    return rows.map(idOf);
  }

  /** The generation is locked, so that nothing is left in one that is being dropped meanwhile. */
  async upsert(key: CollectionKey, records: readonly PassageRecord[]): Promise<void> {
    for (const batch of batchesOf(records.filter(({ vector }) => vector !== null))) {
      const vectors = batch.map(({ vector }) => bytesOf(vector as Float32Array));
      const length = vectors[0]?.length ?? 0;
      const written = await this.database.execute(Prisma.sql`
        INSERT INTO index_vector (tenant_id, generation, perspective, card_id, passage, revision, content_hash, vector)
        SELECT g.tenant_id, g.number, ${key.perspective}, n.card_id, n.passage, n.revision, n.content_hash,
          substring(${Buffer.concat(vectors)}::bytea FROM (n.place - 1)::int * ${length}::int + 1 FOR ${length}::int)
        FROM index_generation g, ${rowsOf(batch)} WHERE ${isPresent(key)} FOR KEY SHARE OF g
        ON CONFLICT (tenant_id, generation, perspective, card_id, passage) DO UPDATE SET
          revision = excluded.revision, content_hash = excluded.content_hash, vector = excluded.vector`);
      if (written === 0) throw lost(key);
    }
    for (const batch of batchesOf(records.filter(({ vector }) => vector === null))) {
      await this.count(key);
      await this.database.execute(Prisma.sql`
        UPDATE index_vector r SET revision = n.revision, content_hash = n.content_hash
        FROM ${rowsOf(batch)} WHERE ${isIn(key)} AND r.card_id = n.card_id AND r.passage = n.passage`);
    }
  }

  async remove(key: CollectionKey, recordIds: readonly string[]): Promise<void> {
    for (const ids of batchesOf(recordIds)) {
      await this.count(key);
      await this.database.execute(Prisma.sql`
        DELETE FROM index_vector r USING ${placesOf(ids)}
        WHERE ${isIn(key)} AND r.card_id = w.card_id AND r.passage = w.passage`);
    }
  }

  async removeCards(key: CollectionKey, cardIds: readonly string[]): Promise<void> {
    if (cardIds.length === 0) return;
    await this.count(key);
    await this.database.execute(
      Prisma.sql`DELETE FROM index_vector r WHERE ${isIn(key)} AND r.card_id = ANY(${cardIds}::text[])`,
    );
  }

  async invalidate(key: CollectionKey, recordIds: readonly string[]): Promise<void> {
    for (const ids of batchesOf(recordIds)) {
      await this.database.execute(Prisma.sql`
        UPDATE index_vector r SET content_hash = '' FROM ${placesOf(ids)}
        WHERE ${isIn(key)} AND r.card_id = w.card_id AND r.passage = w.passage`);
    }
  }

  /** One statement tells both whether the generation is here, by its one row at least, and which records it has. */
  async #records<Row extends RecordRow>(
    key: CollectionKey,
    columns: Prisma.Sql,
    join: Prisma.Sql,
    end: Prisma.Sql = Prisma.empty,
  ): Promise<readonly Row[]> {
    const rows = await this.database.query<Row>(Prisma.sql`
      SELECT r.card_id AS "cardId", r.passage, r.revision, r.content_hash AS "contentHash" ${columns}
      FROM index_generation g ${join} WHERE ${isPresent(key)} ${end}`);
    if (rows.length === 0) await this.count(key);
    return rows.filter(({ cardId }) => cardId !== null);
  }
}

const batchesOf = <T>(items: readonly T[]) => slicesOf(items, () => 1, BATCH);

function idOf({ cardId, passage }: RecordRow): string {
  return recordId(cardId as string, passage);
}

function lost({ generation }: CollectionKey): IndexLostError {
  return new IndexLostError(`the vectors of generation ${generation} are not in PostgreSQL`);
}
