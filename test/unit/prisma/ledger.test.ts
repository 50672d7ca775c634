import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { lock } from '../../../prisma/statements.js';
import { PRIORITY } from '../../../src/domain/ports/outbox.js';
import { until } from '../../support/until.js';
import {
  admin,
  endGrace,
  type Fixture,
  indexEverything,
  indexedCard,
  liveGeneration,
  newCard,
  newTenant,
  openFixture,
  student,
} from './fixture.js';
import { waiting } from './sessions.js';

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
test('versions lists every card of the tenant, of all owners, with its current revision and time', async () => {
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
    const number = await liveGeneration(fixture, tenantId);
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

  test('stays indexed while a new generation is built, and is pending for a card that reuses an id', async () => {
    await create('a');
    await liveGeneration(fixture, tenantId);
    await fixture.ledger.startGeneration(tenantId, 'model-b');
    expect((await stateOf('a'))?.state).toBe('INDEXED');
    await fixture.cards.delete(viewer(), 'a');
    await create('a');
    expect(await stateOf('a')).toMatchObject({ state: 'PENDING', indexedRevision: 1 });
  });

  test("is pending while an indexer that lost its claim may have written, though the revision is the card's", async () => {
    await create('a');
    const number = await liveGeneration(fixture, tenantId);
    const zombie = {
      tenantId,
      cardId: 'a',
      seq: 1n,
      token: randomUUID(),
      priority: PRIORITY.change,
      attempts: 1,
      ledgerIsRight: true,
    };
    await fixture.outbox.done([{ claim: zombie, outcomes: [{ generation: number, indexed: indexedCard(1) }] }]);
    expect(await stateOf('a')).toMatchObject({ state: 'PENDING', indexedRevision: 1 });
    await indexEverything(fixture, [number]);
    expect(await stateOf('a')).toMatchObject({ state: 'INDEXED' });
  });

  test('is FAILED with the reason if the indexer has given up', async () => {
    await create('a');
    await liveGeneration(fixture, tenantId);
    await fixture.cards.update(viewer(), 'a', { difficulty: 1 }, null);
    const [claim] = await fixture.outbox.claim(1, 60_000);
    if (claim === undefined) throw new Error('the card is dirty');
    await fixture.outbox.fail(claim, 'the text cannot be embedded', null);
    expect(await stateOf('a')).toMatchObject({ state: 'FAILED', lastError: 'the text cannot be embedded' });
  });

  test('is shown to and counted for viewers who may see the card only', async () => {
    const [amy, ben] = [student(tenantId, 'amy'), student(tenantId, 'ben')];
    await fixture.cards.create(amy, newCard({ id: 'a1' }));
    await fixture.cards.create(amy, newCard({ id: 'a2' }));
    const number = await liveGeneration(fixture, tenantId);
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

test('a card that reuses an id never has a revision of the earlier card, even after the index has removed that one', async () => {
  await create('a');
  await fixture.cards.update(viewer(), 'a', { difficulty: 1 }, null);
  const number = await liveGeneration(fixture, tenantId);
  await fixture.cards.delete(viewer(), 'a');
  expect((await create('a')).revision).toBe(3);
  await fixture.cards.delete(viewer(), 'a');
  await indexEverything(fixture, [number]);
  expect((await create('a')).revision).toBe(4);
  expect((await create('b')).revision).toBe(1);
});

test('a generation is not retired while another gateway works on the generations of its tenant', async () => {
  const { number } = (await fixture.ledger.startGeneration(tenantId, 'model-a')).generation;
  const states = async () => (await fixture.ledger.generations({ tenantId })).map(({ state }) => state);
  let retired: Promise<void> | undefined;
  await fixture.database.transaction(async (tx) => {
    await lock(tx, [`errata.generation:{schema}:${tenantId}`]);
    retired = fixture.ledger.retireGeneration(tenantId, number);
    await until(async () => (await waiting(fixture.database)) === 1, { deadlineMs: 20_000, what: 'it to wait' });
    expect(await states()).toEqual(['building']);
  });
  await retired;
  await endGrace(fixture);
  expect(await states()).toEqual(['retired']);
});

test('the ledger reads cards of all owners, without deleted ones', async () => {
  const card = await fixture.cards.create(student(tenantId, 'amy'), newCard({ id: 'x' }));
  await create('y');
  await fixture.cards.delete(viewer(), 'y');
  expect(await fixture.ledger.cards(tenantId, ['x', 'y', 'z'])).toEqual(new Map([['x', card]]));
});
