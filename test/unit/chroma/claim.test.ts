import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { type ClaimParts, type CollectionsClaim, claimCollections } from '../../../chroma/claim.js';
import { ChromaConnection } from '../../../chroma/client.js';
import { databasePrefix } from '../../../chroma/collections.js';
import { createChromaVectors } from '../../../chroma/create-chroma.js';
import { Closers, delay } from '../../../src/domain/async.js';
import { EXIT } from '../../../src/domain/exit-codes.js';
import { testChroma } from '../../support/gateway-database.js';
import { literalEmbedder } from '../../support/memory-ports.js';
import { until } from '../../support/until.js';
import { generationOf, installation, keyOf, recordOf } from './server.js';

const { id, connection, vectors: own, create } = installation();
const another = randomUUID();
const { signal } = new AbortController();
let lines: string[] = [];
const log = {
  info: (_: object, line: string) => void lines.push(line),
  error: (_: object, line: string) => void lines.push(line),
};
const claims: Closers[] = [];
afterEach(async () => {
  for (const claim of claims.splice(0)) await claim.close();
  lines = [];
});

afterAll(async () => {
  for (const one of [id, another]) {
    await connection.call('write', (client) => client.deleteCollection({ name: `${databasePrefix(one)}claim` }));
  }
});

/** A gateway of this database; returns what ends it. */
async function claimed(database: string, over: Partial<ClaimParts> = {}): Promise<() => Promise<void>> {
  const closers = new Closers();
  await openClaim(database, { ...over, closers });
  return () => closers.close();
}

function openClaim(database: string, over: Partial<ClaimParts> = {}): Promise<CollectionsClaim> {
  const closers = over.closers ?? new Closers();
  claims.push(closers);
  return claimCollections({ chroma: connection, installation: id, database, log, closers, signal, ...over });
}

describe('the claim of a database on its collections', () => {
  test('is shared by its gateways; a copy of the database is refused until all have ended', async () => {
    const ends = [await claimed('original'), await claimed('original')];
    await (await claimed('original'))();
    const refusal = { exitCode: EXIT.retry, message: expect.stringContaining('one database is a copy of the other') };
    await expect(claimed('copy')).rejects.toMatchObject(refusal);
    await ends[1]?.();
    await expect(claimed('copy')).rejects.toMatchObject(refusal);
    await ends[0]?.();
    await claimed('copy');
    await expect(claimed('original')).rejects.toMatchObject(refusal);
  });

  test('does not concern a database of another installation', async () => {
    await claimed('original');
    await claimed('other', { installation: another });
  });

  test('ends by itself after its gateway was killed', async () => {
    const killed = new Closers();
    await claimCollections({
      chroma: connection,
      installation: id,
      database: 'x',
      log,
      closers: killed,
      signal,
      lastsMs: 0,
    });
    await claimed('copy');
    await killed.close();
    await expect(claimed('x')).rejects.toMatchObject({ exitCode: EXIT.retry });
  });

  test('lasts by the clock of Chroma, whatever that of a gateway', async () => {
    await claimed('original');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 });
    try {
      await expect(claimed('copy')).rejects.toMatchObject({ exitCode: EXIT.retry });
    } finally {
      vi.useRealTimers();
    }
  });

  test('is had by one of two that read before either has written', async () => {
    let reads = 0;
    const read = new AbortController();
    const chroma: ClaimParts['chroma'] = {
      url: connection.url,
      call: async (mode, run) => {
        const answer = await connection.call(mode, run);
        reads += 1;
        if (reads === 2) read.abort();
        await delay(30_000, read.signal);
        return answer;
      },
    };
    const confirms = await Promise.all(['original', 'copy'].map((database) => openClaim(database, { chroma })));
    const ends = await Promise.allSettled(confirms.map(({ confirm }) => confirm()));
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = ends.find((end) => end.status === 'rejected');
    expect(refused?.reason).toMatchObject({ exitCode: EXIT.retry });
  });

  test('that is lost is reported once, and taken again when it is free', async () => {
    const regained = vi.fn();
    const original = await openClaim('original', { renewMs: 5, lastsMs: 0 });
    original.onRegained(regained);
    // A renewal of the original that read before this claim may replace it: the copy renews until its claim stands.
    const end = await claimed('copy', { renewMs: 5 });
    await until(() => lines.length > 0, { deadlineMs: 30_000, what: 'the loss to be noticed' });
    expect([original.isHeld, regained.mock.calls.length]).toEqual([false, 0]);
    await end();
    await until(() => lines.length > 1, { deadlineMs: 30_000, what: 'the claim to be taken again' });
    expect(lines).toEqual([
      expect.stringContaining('stop one of the two'),
      'the collections in Chroma are claimed again',
    ]);
    expect([original.isHeld, regained.mock.calls.length]).toEqual([true, 1]);
  });

  test('that has expired is renewed before a write; without it nothing is read, written or removed', async () => {
    // As of a gateway that was suspended: it has not renewed, and does not know of the other one.
    const original = await openClaim('original', { lastsMs: 0 });
    const vectors = createChromaVectors(connection, id, original);
    const [theirs, older] = [generationOf(1), generationOf(2)];
    await create(theirs);
    await create(older);
    await vectors.upsert(keyOf(theirs), [recordOf('a', 0, 'x')]);
    await claimed('copy');
    const refused = { code: 'UNAVAILABLE', message: expect.stringContaining('one database is a copy of the other') };
    await expect(vectors.upsert(keyOf(theirs), [recordOf('a', 0, 'y')])).rejects.toMatchObject(refused);
    expect(original.isHeld).toBe(false);
    // Reported by the write already: the renewal that finds the claim free again then tells its listeners.
    expect(lines).toEqual([expect.stringContaining('stop one of the two')]);
    await expect(vectors.create(generationOf(3), literalEmbedder.model)).rejects.toMatchObject(refused);
    await expect(vectors.drop(older)).rejects.toMatchObject(refused);
    await expect(vectors.count(keyOf(theirs))).rejects.toMatchObject(refused);
    const kept = [theirs, older].map((generation) => own.count(keyOf(generation)));
    expect(await Promise.all(kept)).toEqual([1, 0]);
  });

  test('is taken later if Chroma does not answer at the start', async () => {
    const away = new ChromaConnection(() => (isThere ? testChroma() : 'http://127.0.0.1:1'));
    let isThere = false;
    await claimed('original', { chroma: away, renewMs: 5 });
    isThere = true;
    away.cameBack();
    const isRefused = async (): Promise<boolean> => {
      const end = await claimed('copy').catch(() => undefined);
      await end?.();
      return end === undefined;
    };
    await until(isRefused, { deadlineMs: 30_000, what: 'the claim to be taken' });
    await claims.shift()?.close();
    await away.close();
  });
});
