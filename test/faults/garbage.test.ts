import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { Prisma } from '../../prisma/generated/client.js';
import { Indexer } from '../../src/indexing/indexer.js';
import { startHttpServer } from '../support/http-server.js';
import { until } from '../support/until.js';
import { verdictOf } from './support/oracle.js';
import { openWorld, ownTexts, type World } from './support/world.js';

/**
 * A status and a body that the server answers with instead of its own; `cut`: the connection breaks amid the answer.
 */
type Garbage = { readonly status: number; readonly body: string; readonly cut?: true };

/** A Chroma that can be made to answer garbage. */
interface Moody {
  readonly url: string;
  /** What it answers to a request with so many bytes; null for the truth. */
  mood: (bytes: number) => Garbage | null;
  /** How many requests it answered with garbage. */
  spoilt: number;
  close(): Promise<void>;
}

async function moody(target: string): Promise<Moody> {
  const server = await startHttpServer((incoming, outgoing) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const body = Buffer.concat(parts);
      const garbage = it.mood(body.length);
      if (garbage !== null) {
        it.spoilt += 1;
        outgoing.writeHead(garbage.status, {
          'content-type': 'application/json',
          'content-length': garbage.body.length + (garbage.cut ? 100 : 0),
        });
        outgoing.write(garbage.body, () => (garbage.cut ? outgoing.destroy() : outgoing.end()));
        return;
      }
      const url = new URL(incoming.url ?? '/', target);
      const passed = request(url, { method: incoming.method, headers: incoming.headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      passed.on('error', () => outgoing.destroy());
      passed.end(body);
    });
  });
  const it: Moody = {
    url: server.url,
    mood: () => null,
    spoilt: 0,
    close: () => server.close(),
  };
  return it;
}

describe('a Chroma that answers garbage for a while', () => {
  let world: World;
  let chroma: Moody;
  afterEach(async () => {
    chroma.mood = () => null;
    world.chroma.cameBack();
    await world.close();
    await chroma.close();
  });

  async function open(): Promise<void> {
    chroma = await moody(String(process.env.TEST_CHROMA_URL));
    world = await openWorld(() => chroma.url);
    await world.create('before', ownTexts(0));
    await world.settle();
  }

  const OUTAGES: readonly (readonly [string, Garbage])[] = [
    ['500 for a full disk', { status: 500, body: '{"error":"InternalError","message":"database or disk is full"}' }],
    ['HTML of a proxy', { status: 200, body: '<html>please sign in</html>' }],
    ['an empty object', { status: 200, body: '{}' }],
    ['half an answer', { status: 200, body: '{"ids":["befo', cut: true }],
    ['429', { status: 429, body: '{}' }],
  ];

  test('is not counted as a failed attempt, and leaves the index complete', async () => {
    await open();
    const indexer = new Indexer(world.parts);
    indexer.start();
    try {
      for (const [place, [name, garbage]] of OUTAGES.entries()) {
        const { spoilt } = chroma;
        chroma.mood = () => garbage;
        await world.create(`during-${place}`, ownTexts(place + 1));
        await until(() => chroma.spoilt >= spoilt + 2, { deadlineMs: 30_000, what: `${name} to be answered twice` });
        const rows = await world.database.query<{ attempts: number; dead: boolean; error: string | null }>(
          Prisma.sql`SELECT attempts, dead, error FROM index_dirty`,
        );
        expect({ name, rows: rows.map(({ dead, error }) => ({ dead, error })) }).toEqual({
          name,
          rows: [{ dead: false, error: null }],
        });
        expect(rows[0]?.attempts).toBeLessThanOrEqual(1);
        chroma.mood = () => null;
        world.chroma.cameBack();
        indexer.resume();
        await until(async () => (await world.ledger.counts(world.viewer)).pending === 0, {
          deadlineMs: 40_000,
          what: 'the card to be indexed afterwards',
        });
      }
    } finally {
      await indexer.close();
    }
    const live = new Set(['before', ...OUTAGES.map((_, place) => `during-${place}`)]);
    expect(await verdictOf(world, { live, deleted: new Set() })).toEqual([]);
  });

  test('with 413 gets smaller batches until they fit', async () => {
    await open();
    const ids = Array.from({ length: 8 }, (_, place) => `large-${place}`);
    await Promise.all(ids.map((id, place) => world.create(id, ownTexts(place + 10))));
    chroma.mood = (bytes) => (bytes > 20_000 ? { status: 413, body: 'too large' } : null);
    await world.settle();
    expect(chroma.spoilt).toBeGreaterThan(0);
    expect(await verdictOf(world, { live: new Set(['before', ...ids]), deleted: new Set() })).toEqual([]);
  });
});
