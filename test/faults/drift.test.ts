import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Prisma } from '../../prisma/generated/client.js';
import { NO_FOREGROUND } from '../../src/domain/background.js';
import { PERSPECTIVES } from '../../src/domain/perspective.js';
import { type CollectionKey, recordId, type VectorStore } from '../../src/domain/ports/collections.js';
import type { Reconciliation } from '../../src/domain/ports/gateway.js';
import type { Generation } from '../../src/domain/ports/ledger.js';
import { type ReconcileParts, reconcile } from '../../src/indexing/reconcile.js';
import { ReconciliationLoop } from '../../src/indexing/reconciliation-loop.js';
import { verdictOf } from './support/oracle.js';
import { openWorld, ownTexts, type World } from './support/world.js';

const signal = new AbortController().signal;
const CARDS = 10;

describe('an index that differs from the cards', () => {
  let world: World;
  let live: Generation;
  const ids = Array.from({ length: CARDS }, (_, place) => `card-${place}`);
  const keyOf = (perspective: CollectionKey['perspective']): CollectionKey => ({
    tenantId: world.viewer.tenantId,
    generation: live.number,
    perspective,
  });
  const parts = (): ReconcileParts => ({ ...world, random: Math.random, background: NO_FOREGROUND });
  const pass = async (): Promise<Reconciliation> => (await reconcile(parts(), live, signal)).found;
  const whole = () => verdictOf(world, { live: new Set(ids), deleted: new Set(['deleted']) });

  beforeEach(async () => {
    world = await openWorld();
    await Promise.all(ids.map((id, place) => world.create(id, ownTexts(place))));
    await world.create('deleted', ownTexts(999));
    await world.settle();
    await world.remove('deleted');
    await world.settle();
    const generation = await world.ledger.live(world.viewer.tenantId);
    if (generation === null) throw new Error('there is no live index');
    live = generation;
  });
  afterEach(() => world.close());

  const nothing = { cards: CARDS, missing: 0, stale: 0, orphans: 0, unreachable: 0, repaired: 0 };

  test('is not changed by repeated passes if it does not differ', async () => {
    const before = await contents(world, live);
    for (let round = 0; round < 2; round += 1) expect(await pass()).toMatchObject(nothing);
    expect(await contents(world, live)).toEqual(before);
    expect(await world.database.query(Prisma.sql`SELECT FROM index_dirty`)).toEqual([]);
    expect(await whole()).toEqual([]);
  });

  test('is repaired in one pass: missing records, orphan records, outdated records, wrong vectors', async () => {
    const { collections } = world;
    // Lost behind our back, in one collection and in all of them.
    await world.vectorStore.remove(keyOf('question'), [recordId('card-0', 0)]);
    for (const perspective of PERSPECTIVES) await world.vectorStore.removeCards(keyOf(perspective), ['card-1']);
    // Of an older card, and of nobody's text.
    await collections.use('write', keyOf('solution'), (one) =>
      one.update({ ids: [recordId('card-2', 0)], metadatas: [{ revision: 17 }] }),
    );
    await world.vectorStore.invalidate(keyOf('error'), [recordId('card-3', 0)]);
    // Another tenant's, by its own word.
    await collections.use('write', keyOf('concept'), (one) =>
      one.update({ ids: [recordId('card-4', 0)], metadatas: [{ tenant: 'another school' }] }),
    );
    // The vector of another text, under the right hash.
    const [foreign] = await world.embedder.embed(['nothing that any card says'], 'passage', 'question', signal);
    await collections.use('write', keyOf('question'), (one) =>
      one.update({ ids: [recordId('card-5', 0)], embeddings: [[...(foreign ?? [])]] }),
    );
    // Orphans: of a card that never was, of one that was deleted, of a passage that the card has not, and of no card at
    // all.
    const vector = [...(foreign ?? [])];
    const orphans = ['never#0', 'deleted#0', 'card-6#7', 'no record of ours'];
    await collections.use('write', keyOf('question'), (one) =>
      one.upsert({
        ids: orphans,
        embeddings: orphans.map(() => vector),
        metadatas: orphans.map((id) => ({ from: id })),
      }),
    );
    expect(await whole()).not.toEqual([]);

    expect(await pass()).toMatchObject({ cards: CARDS, missing: 2, stale: 4, orphans: 4, unreachable: 0 });
    await world.settle();
    expect(await whole()).toEqual([]);
    expect(await pass()).toMatchObject(nothing);
  });

  test('is repaired if the ledger is wrong: cards that were never marked, and deleted ones that it still lists', async () => {
    const { database, viewer } = world;
    await database.execute(
      Prisma.sql`DELETE FROM card_index WHERE tenant_id = ${viewer.tenantId} AND card_id = 'card-0'`,
    );
    await database.execute(
      Prisma.sql`UPDATE card SET revision = revision + 1, question_text = 'a change that told nobody'
        WHERE tenant_id = ${viewer.tenantId} AND id = 'card-1'`,
    );
    await database.execute(Prisma.sql`DELETE FROM card WHERE tenant_id = ${viewer.tenantId} AND id = 'card-2'`);
    expect(await pass()).toMatchObject({ missing: 1, stale: 1, orphans: 1, repaired: 3 });
    await world.settle();
    const left = new Set(ids.filter((id) => id !== 'card-2'));
    expect(await verdictOf(world, { live: left, deleted: new Set(['deleted', 'card-2']) })).toEqual([]);
    expect(await pass()).toMatchObject({ ...nothing, cards: CARDS - 1 });
  });

  test('ignores cards that are being indexed or were given up', async () => {
    const [claim] = await (async () => {
      await world.update('card-0', { notes: 'a change' });
      return world.outbox.claim(1, 60_000);
    })();
    for (const perspective of PERSPECTIVES) await world.vectorStore.removeCards(keyOf(perspective), ['card-0']);
    expect(await pass()).toMatchObject(nothing);
    if (claim === undefined) throw new Error('nothing was claimed');
    await world.outbox.fail(claim, 'a poison card', null);
    expect(await pass()).toMatchObject(nothing);
  });

  test('is detected by a gateway that has already compared it and received no change', async () => {
    const log = { info: () => undefined, warn: () => undefined };
    const loop = new ReconciliationLoop({ ...parts(), ledger: world.ledger, generations: world.generations, log });
    const looked = async (): Promise<unknown> => (await loop.pass()).map(({ found }) => found);
    expect(await looked()).toMatchObject([nothing]);
    await world.database.execute(Prisma.sql`UPDATE card SET revision = revision + 1 WHERE id = 'card-1'`);
    expect(await looked()).toMatchObject([{ ...nothing, stale: 1, repaired: 1 }]);
    await world.settle();
    expect(await looked()).toMatchObject([nothing]);
    await world.vectorStore.remove(keyOf('error'), [recordId('card-2', 0)]);
    expect(await looked()).toMatchObject([{ ...nothing, missing: 1, repaired: 1 }]);
    await world.settle();
    expect(await whole()).toEqual([]);
  });

  test('is rebuilt if its records remain unreachable, but not again if the new index reaches no more', async () => {
    const deaf: VectorStore = { ...world.vectorStore, nearest: async () => [] };
    const log = { info: () => undefined, warn: () => undefined };
    const loop = new ReconciliationLoop({
      ...parts(),
      vectorStore: deaf,
      ledger: world.ledger,
      generations: world.generations,
      log,
    });
    const [first] = await loop.pass();
    expect(first?.found).toMatchObject({ unreachable: CARDS, repaired: CARDS });
    await world.settle();
    expect((await world.ledger.live(world.viewer.tenantId))?.number).toBe(live.number);
    await loop.pass();
    await world.settle();
    for (let round = 0; round < 3; round += 1) {
      expect((await world.ledger.live(world.viewer.tenantId))?.number).toBe(live.number + 1);
      const [later] = await loop.pass();
      expect(later?.found).toMatchObject({ unreachable: CARDS });
      await world.settle();
    }
    expect(await whole()).toEqual([]);
  });

  test('retries a card that was given up after an hour', async () => {
    const { database, viewer, audit, outbox } = world;
    await world.update('card-0', { notes: 'a change' });
    const [claim] = await outbox.claim(1, 60_000);
    if (claim === undefined) throw new Error('nothing was claimed');
    await outbox.fail(claim, 'the server was in trouble', null);
    expect(await audit.revive(viewer.tenantId, 3_600_000)).toBe(0);
    await database.execute(Prisma.sql`UPDATE index_dirty SET next_at = now() - interval '61 minutes'`);
    expect(await audit.revive(viewer.tenantId, 3_600_000)).toBe(1);
    await world.settle();
    expect(await whole()).toEqual([]);
  });
});

/** Every record with what it says of itself, by collection. */
async function contents({ vectorStore, viewer }: World, { number }: Generation): Promise<unknown> {
  return Promise.all(
    PERSPECTIVES.map(async (perspective) => {
      const key = { tenantId: viewer.tenantId, generation: number, perspective };
      const ids = await vectorStore.list(key, 0, 1_000);
      return [...(await vectorStore.labels(key, ids))].sort(([a], [b]) => (a < b ? -1 : 1));
    }),
  );
}
