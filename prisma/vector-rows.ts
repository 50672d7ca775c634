import type { CollectionKey, PassageRecord } from '../src/domain/ports/collections.js';
import { Prisma } from './generated/client.js';

const FLOAT_BYTES = 4;

/** `index_generation g` is the key's generation, and its vectors are here. */
export function isPresent({ tenantId, generation }: CollectionKey): Prisma.Sql {
  return Prisma.sql`g.tenant_id = ${tenantId} AND g.number = ${generation} AND NOT g.in_chroma AND g.state <> 'DROPPED'`;
}

export function isIn({ tenantId, generation, perspective }: CollectionKey): Prisma.Sql {
  return Prisma.sql`r.tenant_id = ${tenantId} AND r.generation = ${generation} AND r.perspective = ${perspective}`;
}

/** Card id and passage of each record id, as `w`. */
export function placesOf(recordIds: readonly string[]): Prisma.Sql {
  const ends = recordIds.map((id) => id.lastIndexOf('#'));
  const cardIds = recordIds.map((id, place) => id.slice(0, ends[place]));
  const passages = recordIds.map((id, place) => Number(id.slice((ends[place] ?? 0) + 1)));
  return Prisma.sql`unnest(${cardIds}::text[], ${passages}::int[]) AS w (card_id, passage)`;
}

export function joined(key: CollectionKey, recordIds: readonly string[]): Prisma.Sql {
  return Prisma.sql`LEFT JOIN (${placesOf(recordIds)} JOIN index_vector r USING (card_id, passage)) ON ${isIn(key)}`;
}

/** The records as `n`, `place` being 1, 2, ... */
export function rowsOf(records: readonly PassageRecord[]): Prisma.Sql {
  const [ids, passages] = [records.map(({ card }) => card.id), records.map(({ passage }) => passage)];
  const [revisions, hashes] = [records.map(({ card }) => card.revision), records.map(({ contentHash }) => contentHash)];
  return Prisma.sql`unnest(${ids}::text[], ${passages}::int[], ${revisions}::int[], ${hashes}::text[])
    WITH ORDINALITY AS n (card_id, passage, revision, content_hash, place)`;
}

export function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * FLOAT_BYTES);
  for (const [place, value] of vector.entries()) bytes.writeFloatLE(value, place * FLOAT_BYTES);
  return bytes;
}

export function floatsOf(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: bytes.byteLength / FLOAT_BYTES }, (_, place) =>
    view.getFloat32(place * FLOAT_BYTES, true),
  );
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let place = 0; place < a.length; place++) sum += (a[place] as number) * (b[place] as number);
  return sum;
}
