import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { ChromaConnection, type Deadlines } from '../../../chroma/client.js';
import { ChromaCollections } from '../../../chroma/collections.js';
import { ChromaVectors } from '../../../chroma/vectors.js';
import { hashOf } from '../../../src/domain/passages.js';
import type { CollectionKey, PassageRecord } from '../../../src/domain/ports/collections.js';
import type { Generation } from '../../../src/domain/ports/ledger.js';
import { testChroma } from '../../support/gateway-database.js';
import { cardOf } from '../../support/generators.js';
import { literalEmbedder, literalModel, vectorOf } from '../../support/memory-ports.js';

export function generationOf(number: number, tenantId = 'default'): Generation {
  return { tenantId, number, modelKey: literalModel, state: 'building' };
}

export function keyOf(
  { tenantId, number }: Generation,
  perspective: CollectionKey['perspective'] = 'question',
): CollectionKey {
  return { tenantId, generation: number, perspective };
}

/** A passage of a card as it is written, its vector that of `text`. */
export function recordOf(id: string, passage: number, text: string): PassageRecord {
  return { card: cardOf({ id }), passage, contentHash: hashOf(text), vector: vectorOf(text) };
}

/** For tests that are not about deadlines: the first read of a collection may take long on a busy machine. */
export const PATIENT: Deadlines = { read: 30_000, write: 30_000, load: 30_000 };

/** The parts of one installation on the tests' Chroma. */
export interface Installation {
  readonly id: string;
  readonly connection: ChromaConnection;
  readonly collections: ChromaCollections;
  readonly vectors: ChromaVectors;
}

/** An installation of its own, made new for the tests of a file; it removes the generations that they made. */
export function installation(): Installation & { create(generation: Generation): Promise<void> } {
  const connection = new ChromaConnection(testChroma, undefined, PATIENT);
  const id = randomUUID();
  const collections = new ChromaCollections(connection, id);
  const vectors = new ChromaVectors(collections);
  const made: Generation[] = [];
  afterAll(async () => {
    for (const generation of made) await vectors.drop(generation);
    await connection.close();
  });
  beforeAll(() => connection.ping());
  return {
    id,
    connection,
    collections,
    vectors,
    async create(generation) {
      made.push(generation);
      await vectors.create(generation, literalEmbedder.model);
    },
  };
}
