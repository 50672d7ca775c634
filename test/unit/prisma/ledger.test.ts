import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import {
  admin,
  dirtyRows,
  type Fixture,
  indexEverything,
  indexedCard,
  newCard,
  newTenant,
  openFixture,
  student,
} from './fixture.js';

let fixture: Fixture;
let tenantId: string;

beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

beforeEach(async () => {
  await fixture.database.execute(Prisma.sql`DELETE FROM index_dirty`);
  tenantId = newTenant();
});

const viewer = () => admin(tenantId);
const create = (id: string) => fixture.cards.create(viewer(), newCard({ id }));
const ownGenerations = async () =>
  (await fixture.ledger.generations()).filter((generation) => generation.tenantId === tenantId);

/** As if the generations had retired long ago. */
const endGrace = () =>
  fixture.database.execute(Prisma.sql`
    UPDATE index_generation SET switched_at = now() - interval '1 hour' WHERE state = 'RETIRED'`);

async function liveGeneration(modelKey = 'model-a'): Promise<number> {
  const {
    generation: { number },
  } = await fixture.ledger.startGeneration(tenantId, modelKey);
  await indexEverything(fixture, [number]);
  expect(await fixture.ledger.promote(tenantId, number)).toBe(true);
  return number;
}

test('the versions of a tenant are those of all its cards, whoever owns them, each as the card has it', async () => {
  expect(await fixture.ledger.versions(tenantId)).toEqual(new Map());
  for (const id of ['b', 'a', 'NULL']) await create(id);
  await fixture.cards.create(student(tenantId, 'someone'), newCard({ id: 'f' }));
  await fixture.cards.create(admin(newTenant()), newCard({ id: 'g' }));
  await fixture.cards.update(viewer(), 'a', { questionText: 'another question' }, null);
  const cards = await fixture.ledger.cards(tenantId, ['a', 'b', 'f', 'g', 'NULL']);
  const expected = [...cards].map(([id, { revision, updatedAt }]) => [
    id,
    { revision, updatedAtMs: updatedAt.getTime() },
  ]);
  expect(expected).toHaveLength(4);
  expect(await fixture.ledger.versions(tenantId)).toEqual(new Map(expected as [string, object][]));
});

describe('generations', () => {
  test('a tenant that nobody has indexed has none', async () => {
    expect(await ownGenerations()).toEqual([]);
    expect(await fixture.ledger.live(tenantId)).toBeNull();
    expect(await fixture.ledger.promote(tenantId, 1)).toBe(false);
    expect(await fixture.ledger.indexed(tenantId, 1, ['a'])).toEqual(new Map());
  });

  test('the first generation of an empty tenant becomes live at once', async () => {
    const { generation: started } = await fixture.ledger.startGeneration(tenantId, 'model-a');
    expect(started).toEqual({ tenantId, number: 1, modelKey: 'model-a', state: 'building' });
    expect(await fixture.ledger.live(tenantId)).toBeNull();
    expect(await fixture.ledger.promote(tenantId, 1)).toBe(true);
    expect(await fixture.ledger.live(tenantId)).toEqual({ ...started, state: 'live' });
    expect(await fixture.ledger.promote(tenantId, 1)).toBe(true);
  });

  test('a generation makes every card dirty as bulk, and becomes live only when it lacks none', async () => {
    await create('a');
    await create('b');
    await fixture.database.execute(Prisma.sql`DELETE FROM index_dirty`);
    const {
      generation: { number },
    } = await fixture.ledger.startGeneration(tenantId, 'model-a');
    expect([...(await dirtyRows(fixture, tenantId)).values()].map((row) => row.bulk)).toEqual([true, true]);
    const [first, second] = await fixture.outbox.claim(2, 60_000);
    if (first === undefined || second === undefined) throw new Error('two cards are dirty');
    const outcomes = [{ generation: number, indexed: indexedCard(1) }];
    await fixture.outbox.done([{ claim: first, outcomes }]);
    expect(await fixture.ledger.promote(tenantId, number)).toBe(false);
    await fixture.outbox.done([{ claim: second, outcomes }]);
    expect(await fixture.ledger.promote(tenantId, number)).toBe(true);
  });

  test('a card that was given up does not hold a generation back', async () => {
    await create('poison');
    await create('good');
    const {
      generation: { number },
    } = await fixture.ledger.startGeneration(tenantId, 'model-a');
    for (const claim of await fixture.outbox.claim(10, 60_000)) {
      if (claim.cardId === 'poison') await fixture.outbox.fail(claim, 'no', null);
      else await fixture.outbox.done([{ claim, outcomes: [{ generation: number, indexed: indexedCard(1) }] }]);
    }
    expect(await fixture.ledger.promote(tenantId, number)).toBe(true);
  });

  test('a card that the building generation lacks and that nobody has marked is marked by promote', async () => {
    const {
      generation: { number },
    } = await fixture.ledger.startGeneration(tenantId, 'model-a');
    await create('late');
    await fixture.database.execute(Prisma.sql`DELETE FROM index_dirty`);
    expect(await fixture.ledger.promote(tenantId, number)).toBe(false);
    expect((await dirtyRows(fixture, tenantId)).get('late')?.bulk).toBe(true);
    await indexEverything(fixture, [number]);
    expect(await fixture.ledger.promote(tenantId, number)).toBe(true);
  });

  test('how far a generation is: the cards that it holds, whatever else it still has records of', async () => {
    await create('a');
    await create('b');
    const {
      generation: { number },
    } = await fixture.ledger.startGeneration(tenantId, 'model-a');
    expect(await fixture.ledger.progress(tenantId, number)).toEqual({ held: 0, cards: 2 });
    await indexEverything(fixture, [number]);
    expect(await fixture.ledger.progress(tenantId, number)).toEqual({ held: 2, cards: 2 });
    await create('c');
    expect(await fixture.ledger.progress(tenantId, number)).toEqual({ held: 2, cards: 3 });
    expect(await fixture.ledger.progress('nobody', number)).toEqual({ held: 0, cards: 0 });
  });

  test('starting twice for one model builds once; another model begins anew', async () => {
    await create('a');
    const { generation: first } = await fixture.ledger.startGeneration(tenantId, 'model-a');
    const again = await Promise.all(
      Array.from({ length: 4 }, () => fixture.ledger.startGeneration(tenantId, 'model-a')),
    );
    expect(again).toEqual(Array.from({ length: 4 }, () => ({ generation: first, isNew: false })));
    const { generation: other } = await fixture.ledger.startGeneration(tenantId, 'model-b');
    expect(other).toMatchObject({ number: 2, modelKey: 'model-b', state: 'building' });
    await endGrace();
    expect((await ownGenerations()).map(({ number, state }) => [number, state])).toEqual([
      [1, 'retired'],
      [2, 'building'],
    ]);
  });

  test('the new generation replaces the live one, which is named as retired only after a while', async () => {
    await create('a');
    const old = await liveGeneration();
    const { generation: next } = await fixture.ledger.startGeneration(tenantId, 'model-b');
    expect((await fixture.ledger.live(tenantId))?.number).toBe(old);
    await indexEverything(fixture, [old, next.number]);
    expect(await fixture.ledger.promote(tenantId, next.number)).toBe(true);
    expect(await fixture.ledger.live(tenantId)).toEqual({ ...next, state: 'live' });
    expect((await ownGenerations()).map(({ number }) => number)).toEqual([next.number]);
    await endGrace();
    expect((await ownGenerations()).map(({ number, state }) => [number, state])).toEqual([
      [old, 'retired'],
      [next.number, 'live'],
    ]);
    expect(await fixture.ledger.promote(tenantId, old)).toBe(false);
  });

  test('a dropped generation takes its records along, its number is never used again, and the live one cannot be dropped', async () => {
    await create('a');
    const live = await liveGeneration();
    await fixture.ledger.dropGeneration(tenantId, live);
    expect((await fixture.ledger.live(tenantId))?.number).toBe(live);
    const {
      generation: { number },
    } = await fixture.ledger.startGeneration(tenantId, 'model-b');
    await indexEverything(fixture, [live, number]);
    await fixture.ledger.dropGeneration(tenantId, number);
    expect(await fixture.ledger.indexed(tenantId, number, ['a'])).toEqual(new Map());
    expect((await fixture.ledger.indexed(tenantId, live, ['a'])).size).toBe(1);
    await endGrace();
    expect((await ownGenerations()).map((generation) => generation.number)).toEqual([live]);
    expect((await fixture.ledger.startGeneration(tenantId, 'model-b')).generation.number).toBe(number + 1);
  });
});

describe('the state of a card', () => {
  const stateOf = async (id: string) => (await fixture.ledger.states(viewer(), [id])).get(id);

  test('is pending until the live generation has the current revision', async () => {
    await create('a');
    expect(await stateOf('a')).toEqual({
      state: 'PENDING',
      indexedRevision: null,
      indexedAt: null,
      perspectives: [],
      lastError: null,
    });
    const number = await liveGeneration();
    expect(await stateOf('a')).toEqual({
      state: 'INDEXED',
      indexedRevision: 1,
      indexedAt: indexedCard(1).indexedAt,
      perspectives: ['question', 'solution', 'concept'],
      lastError: null,
    });
    await fixture.cards.update(viewer(), 'a', { difficulty: 1 }, null);
    expect(await stateOf('a')).toMatchObject({ state: 'PENDING', indexedRevision: 1 });
    await indexEverything(fixture, [number]);
    expect(await stateOf('a')).toMatchObject({ state: 'INDEXED', indexedRevision: 2 });
  });

  test('stays indexed while a new generation is built, and is pending for a card created anew under an old id', async () => {
    await create('a');
    await liveGeneration();
    await fixture.ledger.startGeneration(tenantId, 'model-b');
    expect((await stateOf('a'))?.state).toBe('INDEXED');
    await fixture.cards.delete(viewer(), 'a');
    await create('a');
    expect(await stateOf('a')).toMatchObject({ state: 'PENDING', indexedRevision: 1 });
  });

  test("is pending while an indexer that lost its claim may have written, though the revision is the card's", async () => {
    await create('a');
    const number = await liveGeneration();
    const zombie = { tenantId, cardId: 'a', seq: 1n, token: randomUUID(), attempts: 1 };
    await fixture.outbox.done([{ claim: zombie, outcomes: [{ generation: number, indexed: indexedCard(1) }] }]);
    expect(await stateOf('a')).toMatchObject({ state: 'PENDING', indexedRevision: 1 });
    await indexEverything(fixture, [number]);
    expect(await stateOf('a')).toMatchObject({ state: 'INDEXED' });
  });

  test('is failed, with the reason, where the index has given up', async () => {
    await create('a');
    await liveGeneration();
    await fixture.cards.update(viewer(), 'a', { difficulty: 1 }, null);
    const [claim] = await fixture.outbox.claim(1, 60_000);
    if (claim === undefined) throw new Error('the card is dirty');
    await fixture.outbox.fail(claim, 'the text cannot be embedded', null);
    expect(await stateOf('a')).toMatchObject({ state: 'FAILED', lastError: 'the text cannot be embedded' });
  });

  test('is told and counted only to those who may see the card', async () => {
    const [amy, ben] = [student(tenantId, 'amy'), student(tenantId, 'ben')];
    await fixture.cards.create(amy, newCard({ id: 'a1' }));
    await fixture.cards.create(amy, newCard({ id: 'a2' }));
    const number = await liveGeneration();
    await fixture.cards.create(ben, newCard({ id: 'b1' }));
    expect([...(await fixture.ledger.states(ben, ['a1', 'b1'])).keys()]).toEqual(['b1']);
    expect(await fixture.ledger.counts(ben)).toEqual({ cards: 1, indexed: 0, pending: 1, failed: 0 });
    expect(await fixture.ledger.counts(amy)).toEqual({ cards: 2, indexed: 2, pending: 0, failed: 0 });
    expect(await fixture.ledger.counts(viewer())).toEqual({ cards: 3, indexed: 2, pending: 1, failed: 0 });
    expect(await fixture.ledger.counts(admin(newTenant()))).toEqual({ cards: 0, indexed: 0, pending: 0, failed: 0 });
    await indexEverything(fixture, [number]);
    expect(await fixture.ledger.counts(viewer())).toEqual({ cards: 3, indexed: 3, pending: 0, failed: 0 });
  });
});

test('a card created anew under the id of another never has a revision of that one, when the index has long forgotten it', async () => {
  await create('a');
  await fixture.cards.update(viewer(), 'a', { difficulty: 1 }, null);
  const number = await liveGeneration();
  await fixture.cards.delete(viewer(), 'a');
  expect((await create('a')).revision).toBe(3);
  await fixture.cards.delete(viewer(), 'a');
  await indexEverything(fixture, [number]);
  expect((await create('a')).revision).toBe(4);
  expect((await create('b')).revision).toBe(1);
});

test('the ledger reads cards whoever owns them, and leaves out the deleted', async () => {
  const card = await fixture.cards.create(student(tenantId, 'amy'), newCard({ id: 'x' }));
  await create('y');
  await fixture.cards.delete(viewer(), 'y');
  expect(await fixture.ledger.cards(tenantId, ['x', 'y', 'z'])).toEqual(new Map([['x', card]]));
});
