import { batches } from '../../src/domain/async.js';
import { IndexLostError, UnavailableError } from '../../src/domain/errors.js';
import { distinctBy, groupedBy } from '../../src/domain/grouped.js';
import {
  type CollectionKey,
  type NearestCard,
  type PassageRecord,
  partsOfRecordId,
  type RecordLabel,
  recordId,
  type VectorStore,
} from '../../src/domain/ports/collections.js';
import type { Generation } from '../../src/domain/ports/ledger.js';
import type { StoredRecord } from '../../src/domain/ports/vectors.js';
import { nextTurn } from '../../src/domain/steps.js';
import type { Database } from '../client.js';
import { Prisma } from '../generated/client.js';

/** Records a statement: 1 MB of vectors of 512 dimensions. */
const BATCH = 500;

/**
 * A tenant with more vectors of a perspective than this is moved to Chroma, however few cards it has: a long card, or
 * one with two solutions, has several.
 */
export const MAX_KEPT = 5_000;

/**
 * More vectors than this are not compared one by one. Reached only if the collections in Chroma are not complete by
 * then, as during a large import: the move begins 17 batches of 150 passages earlier.
 */
const MAX_COMPARED = 7_500;

/** The vectors of small tenants: a few hundred cards are compared as fast as a graph of them is searched. */
export class PostgresVectors implements VectorStore {
  constructor(private readonly database: Database) {}

  async create(): Promise<void> {
    // A generation without records needs nothing.
  }

  async drop({ tenantId, number }: Generation): Promise<void> {
    await this.database.run(({ indexVector }) => indexVector.deleteMany({ where: { tenantId, generation: number } }));
  }

  async probe({ tenantId, number }: Generation): Promise<void> {
    await this.#refuseLost({ tenantId, generation: number });
  }

  async isNearlyFull(): Promise<boolean> {
    return false;
  }

  async count(key: CollectionKey): Promise<number> {
    const [count] = await Promise.all([
      this.database.run(({ indexVector }) => indexVector.count({ where: whereOf(key) })),
      this.#refuseLost(key),
    ]);
    return count;
  }

  /** Compares with every vector of the perspective. */
  async nearest(
    key: CollectionKey,
    vectors: readonly Float32Array[],
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly (readonly NearestCard[])[]> {
    signal.throwIfAborted();
    if (vectors.length === 0) return [];
    const rows = await this.database.run(({ indexVector }) =>
      indexVector.findMany({ where: whereOf(key), select: { cardId: true, vector: true }, take: MAX_COMPARED + 1 }),
    );
    if (rows.length === 0) await this.#refuseLost(key);
    if (rows.length > MAX_COMPARED) {
      throw new UnavailableError('chroma', 'the collections of this tenant are being built for the first time');
    }
    const stored = rows.map((row) => ({ cardId: row.cardId, vector: floatsOf(row.vector) }));
    const nearestTo = (query: Float32Array): readonly NearestCard[] => {
      const nearest = stored
        .map(({ cardId, vector }) => ({ cardId, similarity: dot(query, vector) }))
        .sort((a, b) => b.similarity - a.similarity)
        .slice(0, limit);
      return distinctBy(nearest, ({ cardId }) => cardId);
    };
    const lists: (readonly NearestCard[])[] = [];
    for (const query of vectors) {
      // Some 10 ms of the event loop each, if there are as many vectors as may be kept.
      await nextTurn();
      signal.throwIfAborted();
      lists.push(nearestTo(query));
    }
    return lists;
  }

  async read(
    key: CollectionKey,
    recordIds: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, StoredRecord>> {
    const found = new Map<string, StoredRecord>();
    for (const ids of batchesOf(recordIds)) {
      signal.throwIfAborted();
      const rows = await this.database.run(({ indexVector }) => indexVector.findMany({ where: whereOf(key, ids) }));
      for (const { cardId, passage, contentHash, revision, vector } of rows) {
        found.set(recordId(cardId, passage), { contentHash, revision, vector: floatsOf(vector) });
      }
    }
    if (found.size === 0) await this.#refuseLost(key);
    return found;
  }

  async labels(key: CollectionKey, recordIds: readonly string[]): Promise<ReadonlyMap<string, RecordLabel>> {
    const found = new Map<string, RecordLabel>();
    for (const ids of batchesOf(recordIds)) {
      const rows = await this.database.run(({ indexVector }) =>
        indexVector.findMany({ where: whereOf(key, ids), omit: { vector: true } }),
      );
      for (const { cardId, passage, contentHash, revision, tenantId } of rows) {
        found.set(recordId(cardId, passage), { contentHash, revision, tenantId });
      }
    }
    if (found.size === 0) await this.#refuseLost(key);
    return found;
  }

  async list(key: CollectionKey, skip: number, take: number): Promise<readonly string[]> {
    const rows = await this.database.run(({ indexVector }) =>
      indexVector.findMany({
        where: whereOf(key),
        select: { cardId: true, passage: true },
        orderBy: [{ cardId: 'asc' }, { passage: 'asc' }],
        skip,
        take,
      }),
    );
    if (rows.length === 0) await this.#refuseLost(key);
    return rows.map(({ cardId, passage }) => recordId(cardId, passage));
  }

  /**
   * SQL: one statement for hundreds of records, which locks the generation, so that nothing is left in one that is
   * being dropped meanwhile. `place` is that of the vector among those sent: 1, 2, ...; 0 keeps the stored one.
   */
  async upsert(key: CollectionKey, records: readonly PassageRecord[]): Promise<void> {
    const { tenantId, generation, perspective } = key;
    for (const batch of batchesOf(records)) {
      const vectors = batch.flatMap(({ vector }) => (vector === null ? [] : [bytesOf(vector)]));
      const length = vectors[0]?.length ?? 0;
      let sent = 0;
      const places = batch.map(({ vector }) => (vector === null ? 0 : ++sent));
      const written = await this.database.execute(Prisma.sql`
        INSERT INTO index_vector (tenant_id, generation, perspective, card_id, passage, revision, content_hash, vector)
        SELECT g.tenant_id, g.number, ${perspective}, n.card_id, n.passage, n.revision, n.content_hash, CASE n.place
          WHEN 0 THEN r.vector
          ELSE substring(${Buffer.concat(vectors)}::bytea FROM (n.place - 1) * ${length}::int + 1 FOR ${length}::int) END
        FROM index_generation g CROSS JOIN unnest(${batch.map(({ card }) => card.id)}::text[],
            ${batch.map(({ passage }) => passage)}::int[], ${batch.map(({ card }) => card.revision)}::int[],
            ${batch.map(({ contentHash }) => contentHash)}::text[], ${places}::int[])
            AS n (card_id, passage, revision, content_hash, place)
          LEFT JOIN index_vector r ON r.tenant_id = ${tenantId} AND r.generation = ${generation}
            AND r.perspective = ${perspective} AND r.card_id = n.card_id AND r.passage = n.passage
        WHERE g.tenant_id = ${tenantId} AND g.number = ${generation} AND NOT g.in_chroma AND g.state <> 'DROPPED'
          AND (n.place > 0 OR r.vector IS NOT NULL) FOR KEY SHARE OF g
        ON CONFLICT (tenant_id, generation, perspective, card_id, passage) DO UPDATE SET
          revision = excluded.revision, content_hash = excluded.content_hash, vector = excluded.vector`);
      if (written === 0) await this.#refuseLost(key);
    }
  }

  async remove(key: CollectionKey, recordIds: readonly string[]): Promise<void> {
    for (const ids of batchesOf(recordIds)) await this.#delete(key, whereOf(key, ids));
  }

  async removeCards(key: CollectionKey, cardIds: readonly string[]): Promise<void> {
    if (cardIds.length > 0) await this.#delete(key, { ...whereOf(key), cardId: { in: [...cardIds] } });
  }

  async invalidate(key: CollectionKey, recordIds: readonly string[]): Promise<void> {
    for (const ids of batchesOf(recordIds)) {
      await this.database.run(({ indexVector }) =>
        indexVector.updateMany({ where: whereOf(key, ids), data: { contentHash: '' } }),
      );
    }
  }

  async #delete(key: CollectionKey, where: Prisma.IndexVectorWhereInput): Promise<void> {
    const { count } = await this.database.run(({ indexVector }) => indexVector.deleteMany({ where }));
    if (count === 0) await this.#refuseLost(key);
  }

  /** IndexLostError if the generation is dropped or its vectors are in Chroma: then there are no records. */
  async #refuseLost({ tenantId, generation }: Omit<CollectionKey, 'perspective'>): Promise<void> {
    const where = { tenantId, number: generation, inChroma: false, state: { not: 'DROPPED' } };
    const present = await this.database.run(({ indexGeneration }) => indexGeneration.count({ where }));
    if (present === 0) throw new IndexLostError(`the vectors of generation ${generation} are not in PostgreSQL`);
  }
}

const batchesOf = <T>(items: readonly T[]) => batches(items, BATCH);

/** The records of a collection, or those of them with these ids: one list of cards for each passage number. */
function whereOf({ tenantId, generation, perspective }: CollectionKey, recordIds?: readonly string[]) {
  const key = { tenantId, generation, perspective };
  if (recordIds === undefined) return key;
  const records = recordIds.flatMap((id) => partsOfRecordId(id) ?? []);
  const lists = [...groupedBy(records, ({ passage }) => passage)].map(([passage, cards]) => ({
    passage,
    cardId: { in: cards.map(({ cardId }) => cardId) },
  }));
  return { ...key, OR: lists };
}

/** In the byte order of the machine, which is little-endian on x64 and arm64. */
function bytesOf(vector: Float32Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength).slice();
}

/** Copies the bytes as a whole, since their offset may not be a multiple of four. */
function floatsOf(bytes: Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let place = 0; place < a.length; place++) sum += (a[place] as number) * (b[place] as number);
  return sum;
}
