import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createChromaVectors } from '../../../chroma/create-chroma.js';
import { hashOf } from '../../../src/domain/passages.js';
import { byPerspective, PERSPECTIVES } from '../../../src/domain/perspective.js';
import { recordId } from '../../../src/domain/ports/collections.js';
import type { StoredRecord } from '../../../src/domain/ports/vectors.js';
import { rounded } from '../../../src/domain/vector-rounding.js';
import { cardOf } from '../../support/generators.js';
import { literalEmbedder, vectorOf } from '../../support/memory-ports.js';
import { generationOf, installation, keyOf, recordOf } from './server.js';

const signal = new AbortController().signal;
const { model } = literalEmbedder;

/** Expects the passage of this text. Chroma scales vectors to length 1 itself, which may change their last bit. */
function expectStored(passage: StoredRecord | undefined, text: string): void {
  expect(passage?.contentHash).toBe(hashOf(text));
  const vector = vectorOf(text);
  expect(passage?.vector).toHaveLength(vector.length);
  passage?.vector.forEach((value, place) => {
    expect(Math.abs(value - (vector[place] ?? Number.NaN))).toBeLessThan(1e-6);
  });
}

function similarity(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, place) => sum + value * (b[place] ?? Number.NaN), 0);
}

describe('the collections in Chroma', () => {
  const { connection, collections, vectors, create } = installation();

  test('are four for each generation, empty at first; creating them twice changes nothing', async () => {
    const generation = generationOf(1);
    await create(generation);
    await vectors.upsert(keyOf(generation), [recordOf('a', 0, 'x')]);
    await vectors.create(generation, model);
    await vectors.probe(generation, model);
    const counts = await Promise.all(PERSPECTIVES.map((one) => vectors.count(keyOf(generation, one))));
    expect(counts).toEqual([1, 0, 0, 0]);
  });

  test('return the written hashes and vectors; missing records are absent', async () => {
    const generation = generationOf(2);
    await create(generation);
    await vectors.upsert(keyOf(generation), [recordOf('a', 0, 'x'), recordOf('a', 1, 'y')]);
    const found = await vectors.read(keyOf(generation), ['a#0', 'a#1', 'a#2', 'b#0'], signal);
    expect([...found.keys()].sort()).toEqual(['a#0', 'a#1']);
    expectStored(found.get('a#0'), 'x');
    expectStored(found.get('a#1'), 'y');
    expect(await vectors.read(keyOf(generation), [], signal)).toEqual(new Map());
  });

  test('overwrite a record in place', async () => {
    const generation = generationOf(3);
    await create(generation);
    await vectors.upsert(keyOf(generation), [recordOf('a', 0, 'x')]);
    await vectors.upsert(keyOf(generation), [recordOf('a', 0, 'y')]);
    expect(await vectors.count(keyOf(generation))).toBe(1);
    const found = await vectors.read(keyOf(generation), ['a#0'], signal);
    expectStored(found.get('a#0'), 'y');
  });

  test('keep the vector if only the metadata has changed', async () => {
    const generation = generationOf(4);
    await create(generation);
    const record = recordOf('a', 0, 'x');
    await vectors.upsert(keyOf(generation), [record]);
    const card = cardOf({ id: 'a', revision: 2, grade: null, difficulty: 5 });
    await vectors.upsert(keyOf(generation), [{ ...record, card, vector: null }, recordOf('b', 0, 'y')]);
    const found = await vectors.read(keyOf(generation), ['a#0', 'b#0'], signal);
    expectStored(found.get('a#0'), 'x');
    expect(found.size).toBe(2);
    const { metadatas } = await collections.use('read', keyOf(generation), (one) => one.get({ ids: ['a#0'] }));
    expect(metadatas[0]).toEqual({
      card_id: 'a',
      tenant: 'default',
      revision: 2,
      content_hash: hashOf('x'),
      grade: '',
      subject: 'math',
      difficulty: 5,
    });
  });

  test('remove records by id or by card; missing ones do not matter', async () => {
    const generation = generationOf(5);
    await create(generation);
    const key = keyOf(generation);
    const records = ['a', 'b', 'c'].flatMap((id) =>
      [0, 1, 2].map((passage) => recordOf(id, passage, `${id}${passage}`)),
    );
    await vectors.upsert(key, records);
    await vectors.remove(key, ['a#2', 'unknown#0']);
    await vectors.remove(key, []);
    await vectors.removeCards(key, ['b', 'unknown']);
    await vectors.removeCards(key, []);
    const ids = records.map(({ card, passage }) => recordId(card.id, passage));
    expect([...(await vectors.read(key, ids, signal)).keys()].sort()).toEqual(['a#0', 'a#1', 'c#0', 'c#1', 'c#2']);
    expect(await vectors.count(key)).toBe(5);
  });

  test('find the same nearest among 300 as an exhaustive comparison', async () => {
    const generation = generationOf(6);
    await create(generation);
    // 300 records are more than one call takes.
    const records = Array.from({ length: 300 }, (_, place) => recordOf(`c${place}`, 0, `text ${place}`));
    await vectors.upsert(keyOf(generation), records);
    for (const text of ['text 7', 'another text', '勾股定理']) {
      const query = vectorOf(text);
      const [nearest = []] = await vectors.nearest(keyOf(generation), [query], 10, signal);
      const byHand = records
        .map(({ card, vector }) => ({ cardId: card.id, similarity: similarity(query, vector as Float32Array) }))
        .sort((a, b) => b.similarity - a.similarity)
        .slice(0, 10);
      expect(nearest.map(({ cardId }) => cardId)).toEqual(byHand.map(({ cardId }) => cardId));
      nearest.forEach((one, place) => {
        // Of the stored vectors, which are moved apart by a thousandth.
        expect(Math.abs(one.similarity - (byHand[place]?.similarity ?? Number.NaN))).toBeLessThan(1e-3);
      });
    }
    const all = await vectors.read(
      keyOf(generation),
      records.map(({ card }) => recordId(card.id, 0)),
      signal,
    );
    expect(all.size).toBe(300);
    for (const { card, vector } of records) {
      expect(all.get(recordId(card.id, 0))?.vector).toEqual(rounded(vector as Float32Array));
    }
  });

  test('return a sparse vector with all of its zeros', async () => {
    const generation = generationOf(20);
    await create(generation);
    const vector = vectorOf('x').fill(0);
    [vector[1], vector[3]] = [0.6, -0.8];
    await vectors.upsert(keyOf(generation), [{ ...recordOf('a', 0, 'x'), vector }]);
    const read = await vectors.read(keyOf(generation), [recordId('a', 0)], signal);
    const values = [...(read.get(recordId('a', 0))?.vector ?? [])];
    expect(values.flatMap((value, at) => (value === 0 ? [] : [at]))).toEqual([1, 3]);
  });

  test('return a card once, with its best passage, and fewer cards if there are fewer', async () => {
    const generation = generationOf(7);
    await create(generation);
    const texts = ['x', 'y', 'z'];
    await vectors.upsert(keyOf(generation), [
      ...texts.map((text, passage) => recordOf('a', passage, text)),
      recordOf('b', 0, 'w'),
    ]);
    const [nearest = []] = await vectors.nearest(keyOf(generation), [vectorOf('y')], 100, signal);
    expect(nearest.map(({ cardId }) => cardId).sort()).toEqual(['a', 'b']);
    expect(nearest[0]?.cardId).toBe('a');
    expect(nearest[0]?.similarity).toBeCloseTo(1, 5);
    expect(await vectors.nearest(keyOf(generation, 'error'), [vectorOf('y')], 100, signal)).toEqual([[]]);
  });

  test('of different installations, tenants and generations are separate on one server', async () => {
    const other = createChromaVectors(connection, randomUUID());
    const mine = generationOf(12);
    const places = [
      { of: vectors, generation: mine },
      { of: other, generation: mine },
      { of: vectors, generation: generationOf(12, 'another school') },
      { of: vectors, generation: generationOf(13) },
    ];
    try {
      for (const [place, { of, generation }] of places.entries()) {
        await of.create(generation, model);
        await of.upsert(keyOf(generation), [recordOf(`card-${place}`, 0, 'the same text')]);
      }
      for (const [place, { of, generation }] of places.entries()) {
        const [nearest] = await of.nearest(keyOf(generation), [vectorOf('the same text')], 10, signal);
        expect(nearest?.map(({ cardId }) => cardId)).toEqual([`card-${place}`]);
      }
      await other.drop(mine);
      expect(await vectors.count(keyOf(mine))).toBe(1);
    } finally {
      for (const { of, generation } of places) await of.drop(generation);
    }
  });

  test('do not contain the tenant’s name in theirs', async () => {
    const generation = generationOf(1, 'Springfield Elementary');
    await create(generation);
    const names = await Promise.all(
      PERSPECTIVES.map((one) => collections.use('read', keyOf(generation, one), async ({ name }) => name)),
    );
    expect(new Set(names).size).toBe(4);
    for (const name of names)
      expect(name).toMatch(/^errata-[0-9a-f]{12}-[0-9a-f]{16}-g1-(question|solution|concept|error)$/);
    expect(byPerspective((one) => names.some((name) => name.endsWith(one)))).toEqual(byPerspective(() => true));
  });
});
