import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../../../src/domain/errors.js';
import { type ByPerspective, byPerspective } from '../../../src/domain/perspective.js';
import { recordId, type VectorStore } from '../../../src/domain/ports/collections.js';
import type { IndexedCard, IndexLedger } from '../../../src/domain/ports/ledger.js';
import type { StoredRecord } from '../../../src/domain/ports/vectors.js';
import { PackedVectors } from '../../../src/vectors/packed.js';
import { StoredVectors } from '../../../src/vectors/stored.js';
import { among, memoryCache, vectorOf } from '../../support/memory-ports.js';

const signal = new AbortController().signal;
const questions = (...texts: readonly string[]): ByPerspective<readonly Float32Array[]> => ({
  ...byPerspective(() => []),
  question: texts.map(vectorOf),
});
const hashed = (text: string): string => `hash of ${text}`;

interface World {
  /** What the ledger says: a revision and the questions' texts. */
  readonly indexed?: Readonly<Record<string, readonly [revision: number, ...texts: readonly string[]]>>;
  /** What Chroma holds: the questions' texts. */
  readonly records?: Readonly<Record<string, readonly string[]>>;
  readonly read?: VectorStore['read'];
  readonly deadlineMs?: number;
}

function storedOf({ indexed = {}, records = {}, read, deadlineMs }: World) {
  const cache = memoryCache();
  const asked: string[] = [];
  const ledger = new Map(
    Object.entries(indexed).map(([id, [revision, ...texts]]): [string, IndexedCard] => {
      const passages = { ...byPerspective(() => []), question: texts.map(hashed) };
      return [id, { revision, indexedAt: new Date(0), passages }];
    }),
  );
  const held = new Map(
    Object.entries(records).flatMap(([id, texts]) =>
      texts.map((text, place): [string, StoredRecord] => [
        recordId(id, place),
        { contentHash: hashed(text), vector: vectorOf(text), revision: 1 },
      ]),
    ),
  );
  const reader: Pick<VectorStore, 'read'> = {
    read:
      read ??
      (async ({ perspective }, ids) => {
        asked.push(...ids);
        return perspective === 'question' ? among(held, ids) : new Map();
      }),
  };
  const indexedOf: Pick<IndexLedger, 'indexed'> = {
    indexed: async (_tenantId, _generation, ids) => among(ledger, ids),
  };
  const stored = new StoredVectors(cache, reader, indexedOf, deadlineMs === undefined ? {} : { deadlineMs });
  return { stored, cache, asked };
}

describe('StoredVectors', () => {
  test('reads from the cache without calling Chroma', async () => {
    const { stored, cache } = storedOf({ read: () => Promise.reject(new Error('asked')) });
    await cache.put('t', 1, new Map([['a', { revision: 2, passages: questions('x') }]]));
    const read = await stored.of('t', 1, new Map([['a', 2]]), signal);
    expect(read).toEqual({
      vectors: new Map([['a', PackedVectors.of({ revision: 2, passages: questions('x') })]]),
      failure: null,
    });
  });

  test('looks up many cards in parts, and pauses between them', async () => {
    const { stored } = storedOf({});
    const wanted = new Map(Array.from({ length: 100_000 }, (_, place) => [`card-${place}`, 1]));
    let pauses = 0;
    await stored.of('t', 1, wanted, signal, async () => {
      pauses += 1;
      return 2;
    });
    expect(pauses).toBeGreaterThan(0);
  });

  test('reads from Chroma what the cache lacks, and caches it', async () => {
    const { stored, asked } = storedOf({ indexed: { a: [2, 'x', 'y'] }, records: { a: ['x', 'y'] } });
    const wanted = new Map([['a', 2]]);
    const expected = new Map([['a', PackedVectors.of({ revision: 2, passages: questions('x', 'y') })]]);
    expect(await stored.of('t', 1, wanted, signal)).toEqual({ vectors: expected, failure: null });
    expect(asked).toEqual(['a#0', 'a#1']);
    expect(await stored.of('t', 1, wanted, signal)).toEqual({ vectors: expected, failure: null });
    expect(asked).toHaveLength(2);
  });

  test('does not return vectors of an older revision than the indexed one', async () => {
    const { stored, cache } = storedOf({ indexed: { a: [2, 'new'] }, records: { a: ['new'] } });
    await cache.put('t', 1, new Map([['a', { revision: 1, passages: questions('old') }]]));
    const { vectors } = await stored.of('t', 1, new Map([['a', 2]]), signal);
    expect(vectors.get('a')).toEqual(PackedVectors.of({ revision: 2, passages: questions('new') }));
  });

  test('does not return another generation’s vectors', async () => {
    const { stored, cache } = storedOf({});
    await cache.put('t', 1, new Map([['a', { revision: 1, passages: questions('x') }]]));
    expect(await stored.of('t', 2, new Map([['a', 1]]), signal)).toEqual({ vectors: new Map(), failure: null });
  });

  test('omits a card whose records differ from the ledger or are missing', async () => {
    const { stored, cache } = storedOf({
      indexed: { changing: [2, 'x', 'new'], lost: [1, 'x'], whole: [1, 'x'] },
      records: { changing: ['x', 'old'], whole: ['x'] },
    });
    const wanted = new Map([
      ['changing', 2],
      ['lost', 1],
      ['whole', 1],
      ['unknown', 1],
    ]);
    const { vectors, failure } = await stored.of('t', 1, wanted, signal);
    expect([...vectors.keys()]).toEqual(['whole']);
    expect(failure).toBeNull();
    expect(cache.entries.size).toBe(1);
  });

  test('returns cached vectors and the reason of the missing ones if Chroma is unavailable', async () => {
    const away = new UnavailableError('chroma', 'the vector server does not answer');
    const { stored, cache } = storedOf({ indexed: { cold: [1, 'x'] }, read: () => Promise.reject(away) });
    await cache.put('t', 1, new Map([['warm', { revision: 1, passages: questions('x') }]]));
    const wanted = new Map([
      ['warm', 1],
      ['cold', 1],
    ]);
    const { vectors, failure } = await stored.of('t', 1, wanted, signal);
    expect([...vectors.keys()]).toEqual(['warm']);
    expect(failure).toBe(away);
  });

  test('gives up after its deadline', async () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    const { stored } = storedOf({ indexed: { cold: [1, 'x'] }, read: never, deadlineMs: 5 });
    const { failure } = await stored.of('t', 1, new Map([['cold', 1]]), signal);
    expect(failure?.message).toContain('no vectors within 5 ms');
  });

  test('omits a card whose records are being written, though vectors of an older revision are cached', async () => {
    const { stored, cache } = storedOf({ indexed: { a: [2, 'x', 'new'] }, records: { a: ['x', 'old'] } });
    await cache.put('t', 1, new Map([['a', { revision: 1, passages: questions('x', 'old') }]]));
    expect(await stored.of('t', 1, new Map([['a', 2]]), signal)).toEqual({ vectors: new Map(), failure: null });
  });

  test('does not replace vectors that the indexer has put since they were read', async () => {
    const newer = { revision: 3, passages: questions('newer') };
    const { stored, cache } = storedOf({
      indexed: { a: [2, 'x'] },
      read: async ({ perspective }, ids) => {
        await cache.put('t', 1, new Map([['a', newer]]));
        const record = { contentHash: 'hash of x', vector: vectorOf('x'), revision: 2 };
        return new Map(perspective === 'question' ? ids.map((id) => [id, record]) : []);
      },
    });
    const { vectors } = await stored.of('t', 1, new Map([['a', 2]]), signal);
    expect(vectors.get('a')).toEqual(PackedVectors.of(newer));
    expect([...cache.entries.values()]).toEqual([newer]);
  });

  test('does not cache a card that may have been deleted since it was read', async () => {
    const { stored, cache } = storedOf({
      indexed: { a: [2, 'x'] },
      read: async ({ perspective }, ids) => {
        if (perspective === 'question') await cache.remove('t', 1, ['a']);
        const record = { contentHash: 'hash of x', vector: vectorOf('x'), revision: 2 };
        return new Map(perspective === 'question' ? ids.map((id) => [id, record]) : []);
      },
    });
    const { vectors } = await stored.of('t', 1, new Map([['a', 2]]), signal);
    expect(vectors.get('a')).toEqual(PackedVectors.of({ revision: 2, passages: questions('x') }));
    expect(cache.entries.size).toBe(0);
  });

  test('throws any other error', async () => {
    const { stored } = storedOf({ indexed: { a: [1, 'x'] }, read: () => Promise.reject(new Error('a bug')) });
    await expect(stored.of('t', 1, new Map([['a', 1]]), signal)).rejects.toThrow('a bug');
  });
});
