import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { PostgresVectors } from '../../../prisma/indexing/index-vectors.js';
import { IndexLostError, UnavailableError } from '../../../src/domain/errors.js';
import { hashOf } from '../../../src/domain/passages.js';
import { PERSPECTIVES } from '../../../src/domain/perspective.js';
import { type CollectionKey, type PassageRecord, recordId } from '../../../src/domain/ports/collections.js';
import type { Generation } from '../../../src/domain/ports/ledger.js';
import { Generations } from '../../../src/indexing/generations.js';
import { cardOf } from '../../support/generators.js';
import {
  collectionName,
  literalEmbedder,
  literalModel,
  memoryCache,
  memoryIndex,
  sourceOf,
  vectorOf,
} from '../../support/memory-ports.js';
import { runs } from '../../support/runs.js';
import { admin, type Fixture, newTenant, openFixture } from './fixture.js';

const { signal } = new AbortController();

describe('the vectors of small tenants', () => {
  let fixture: Fixture;
  let vectors: PostgresVectors;
  beforeAll(async () => {
    fixture = await openFixture();
    vectors = new PostgresVectors(fixture.database);
  });
  afterAll(() => fixture.close());

  const begun = async (tenantId = newTenant()): Promise<Generation> =>
    (await fixture.ledger.startGeneration(tenantId, literalModel, { inChroma: false })).generation;
  const keyOf = (
    { tenantId, number }: Generation,
    perspective: CollectionKey['perspective'] = 'question',
  ): CollectionKey => ({ tenantId, generation: number, perspective });
  const recordOf = (id: string, passage: number, text: string, revision = 1): PassageRecord => ({
    card: cardOf({ id, revision }),
    passage,
    contentHash: hashOf(text),
    vector: vectorOf(text),
  });

  test('are read, listed, compared and removed like those of a model in memory, after any sequence of writes', async () => {
    const place = { id: fc.constantFrom('a', 'b', 'c#d'), passage: fc.integer({ min: 0, max: 2 }) };
    const text = fc.integer({ min: 0, max: 9 }).map((number) => `text ${number}`);
    const revision = fc.integer({ min: 1, max: 9 });
    const perspective = fc.constantFrom(...PERSPECTIVES);
    const step = fc.oneof(
      fc.record({ kind: fc.constant('upsert' as const), ...place, text, revision, perspective }),
      fc.record({ kind: fc.constant('describe' as const), ...place, text, revision, perspective }),
      fc.record({ kind: fc.constant('remove' as const), ...place, perspective }),
      fc.record({ kind: fc.constant('removeCard' as const), ...place, perspective }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const generation = await begun();
        const model = memoryIndex();
        for (const one of steps) {
          const key = keyOf(generation, one.perspective);
          for (const store of [vectors, model]) {
            if (one.kind === 'remove') await store.remove(key, [recordId(one.id, one.passage), 'unknown#0']);
            else if (one.kind === 'removeCard') await store.removeCards(key, [one.id]);
            else {
              const record = recordOf(one.id, one.passage, one.text, one.revision);
              await store.upsert(key, [one.kind === 'upsert' ? record : { ...record, vector: null }]);
            }
          }
        }
        for (const one of PERSPECTIVES) {
          const key = keyOf(generation, one);
          const held = model.collections.get(collectionName(key)) ?? new Map();
          const ids = [...held.keys()];
          expect((await vectors.list(key, 0, 100)).toSorted()).toEqual(ids.toSorted());
          expect(await vectors.count(key)).toBe(ids.length);
          const asked = [...ids, 'unknown#0'];
          expect(await vectors.read(key, asked, signal)).toEqual(await model.read(key, asked, signal));
          expect([...(await vectors.labels(key, asked)).keys()].toSorted()).toEqual(ids.toSorted());
          const query = vectorOf('text 3');
          const similarities = (lists: readonly (readonly { readonly similarity: number }[])[]) =>
            lists.flat().map(({ similarity }) => Number(similarity.toFixed(6)));
          expect(similarities(await vectors.nearest(key, [query], 4, signal))).toEqual(
            similarities(await model.nearest(key, [query], 4, signal)),
          );
        }
      }),
      { numRuns: runs(60) },
    );
  });

  test('are of one tenant and one generation', async () => {
    const [mine, other] = [await begun(), await begun()];
    await vectors.upsert(keyOf(mine), [recordOf('a', 0, 'x')]);
    await vectors.upsert(keyOf(other), [recordOf('b', 0, 'x')]);
    const nearest = await vectors.nearest(keyOf(mine), [vectorOf('x')], 9, signal);
    expect(nearest.flat().map(({ cardId }) => cardId)).toEqual(['a']);
    await vectors.removeCards(keyOf(mine), ['b']);
    await vectors.drop(mine);
    expect([await vectors.count(keyOf(mine)), await vectors.count(keyOf(other))]).toEqual([0, 1]);
  });

  test('cannot be read or written by viewers of any role', async () => {
    const generation = await begun();
    const read = fixture.database.as(admin(generation.tenantId)).query(Prisma.sql`SELECT FROM index_vector`);
    await expect(read).rejects.toThrow('permission denied');
  });

  test('that are invalidated lose their content hash and keep their vector', async () => {
    const key = keyOf(await begun());
    await vectors.upsert(key, [recordOf('a', 0, 'x'), recordOf('a', 1, 'y')]);
    await vectors.invalidate(key, ['a#1']);
    const labels = await vectors.labels(key, ['a#0', 'a#1']);
    expect([labels.get('a#0')?.contentHash, labels.get('a#1')?.contentHash]).toEqual([hashOf('x'), '']);
    expect((await vectors.read(key, ['a#1'], signal)).get('a#1')?.vector).toEqual(vectorOf('y'));
  });

  test('throw IndexLostError if the generation is dropped or its vectors are in Chroma', async () => {
    const dropped = await begun();
    await fixture.ledger.retireGeneration(dropped.tenantId, dropped.number);
    await fixture.ledger.dropGeneration(dropped.tenantId, dropped.number);
    const { generation: inChroma } = await fixture.ledger.startGeneration(newTenant(), literalModel);
    for (const generation of [dropped, inChroma]) {
      const key = keyOf(generation);
      const questions: readonly (() => Promise<unknown>)[] = [
        () => vectors.nearest(key, [vectorOf('x')], 1, signal),
        () => vectors.read(key, ['a#0'], signal),
        () => vectors.upsert(key, [recordOf('a', 0, 'x')]),
        () => vectors.upsert(key, [{ ...recordOf('a', 0, 'x'), vector: null }]),
        () => vectors.remove(key, ['a#0']),
        () => vectors.removeCards(key, ['a']),
        () => vectors.count(key),
        () => vectors.list(key, 0, 1),
        () => vectors.probe(generation),
      ];
      for (const question of questions) await expect(question()).rejects.toThrow(IndexLostError);
    }
  });

  test('are deleted with their generation, including those that are written at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const generation = await begun();
      await fixture.ledger.retireGeneration(generation.tenantId, generation.number);
      await Promise.allSettled([
        fixture.ledger.dropGeneration(generation.tenantId, generation.number),
        vectors.upsert(keyOf(generation), [recordOf('a', 0, 'x')]),
      ]);
    }
    const left = await fixture.database.query(
      Prisma.sql`SELECT FROM index_vector JOIN index_generation ON number = generation AND state = 'DROPPED'
        AND index_vector.tenant_id = index_generation.tenant_id`,
    );
    expect(left).toEqual([]);
  });

  test('are unavailable above 7,500: the collections in Chroma are being built then', async () => {
    const generation = await begun();
    await fixture.database.execute(Prisma.sql`
      INSERT INTO index_vector (tenant_id, generation, perspective, card_id, passage, revision, content_hash, vector)
      SELECT ${generation.tenantId}, ${generation.number}, 'question', n::text, 0, 1, '', '\\x00' FROM generate_series(1, 7501) n`);
    await expect(vectors.nearest(keyOf(generation), [vectorOf('x')], 1, signal)).rejects.toThrow(UnavailableError);
    expect(await vectors.count(keyOf(generation))).toBe(7501);
  });

  test('a tenant with two solutions a card moves to Chroma in time', async () => {
    const { tenantId, number } = await begun();
    const log = { info: () => undefined, warn: () => undefined };
    const none = async () => undefined;
    const generations = new Generations({
      ledger: fixture.ledger,
      chromaAboveCards: 5_000,
      vectorStore: { create: none, drop: none, probe: none, isNearlyFull: async () => false },
      cache: memoryCache(),
      embedders: sourceOf(literalEmbedder),
      log,
    });
    const indexed = (first: number, last: number): Promise<number> =>
      fixture.database.execute(Prisma.sql`
        INSERT INTO card_index (tenant_id, generation, card_id, revision, indexed_at,
          question_hashes, solution_hashes, concept_hashes, error_hashes)
        SELECT ${tenantId}, ${number}, n::text, 1, now(), '{a}', '{a,b}', '{}', '{}'
        FROM generate_series(${first}::int, ${last}::int) n`);
    const places = async () => {
      const writable = await generations.writable(tenantId);
      return writable.map(({ generation }) => [generation.number, generation.inChroma]);
    };
    await indexed(1, 2_500);
    expect(await places()).toEqual([[number, false]]);
    await indexed(2_501, 2_501);
    expect(await places()).toEqual([[number + 1, true]]);
    // Neither moved again, nor moved back by a rebuild.
    expect(await places()).toEqual([[number + 1, true]]);
    expect(await generations.begin(tenantId, number + 1)).toMatchObject({ number: number + 2, inChroma: true });
  });
});
