import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { PostgresIndexLedger } from '../../../prisma/indexing/ledger.js';
import { UnavailableError } from '../../../src/domain/errors.js';
import {
  admin,
  dirtyRows,
  endGrace,
  type Fixture,
  indexEverything,
  indexedCard,
  liveGeneration,
  newCard,
  newTenant,
  openFixture,
} from './fixture.js';

let fixture: Fixture;
let tenantId: string;
const statements: string[] = [];

beforeAll(async () => {
  fixture = await openFixture({ onQuery: (sql) => statements.push(sql) });
});
afterAll(() => fixture.close());

beforeEach(async () => {
  await fixture.database.execute(Prisma.sql`DELETE FROM index_dirty`);
  tenantId = newTenant();
});

const viewer = () => admin(tenantId);
const create = (id: string) => fixture.cards.create(viewer(), newCard({ id }));
const ledgerOf = (markedAtOnce: number) => new PostgresIndexLedger(fixture.database, fixture.dirty, markedAtOnce);
const ownGenerations = async () =>
  (await fixture.ledger.generations()).filter((generation) => generation.tenantId === tenantId);

describe('the generations of an index', () => {
  test('a tenant that was never indexed has none', async () => {
    expect(await ownGenerations()).toEqual([]);
    expect(await fixture.ledger.live(tenantId)).toBeNull();
    expect(await fixture.ledger.promote(tenantId, 1)).toBe(false);
    expect(await fixture.ledger.indexed(tenantId, 1, ['a'])).toEqual(new Map());
  });

  test('the first generation of an empty tenant becomes live at once', async () => {
    const { generation: started } = await fixture.ledger.startGeneration(tenantId, 'model-a');
    expect(started).toEqual({ tenantId, number: 1, modelKey: 'model-a', state: 'building', inChroma: true });
    expect(await fixture.ledger.live(tenantId)).toBeNull();
    expect(await fixture.ledger.promote(tenantId, 1)).toBe(true);
    expect(await fixture.ledger.live(tenantId)).toEqual({ ...started, state: 'live' });
    expect(await fixture.ledger.promote(tenantId, 1)).toBe(true);
  });

  test('a generation makes every card dirty, behind all other work, and becomes live only when it lacks none', async () => {
    await create('a');
    await create('b');
    await fixture.database.execute(Prisma.sql`DELETE FROM index_dirty`);
    const {
      generation: { number },
    } = await fixture.ledger.startGeneration(tenantId, 'model-a');
    expect([...(await dirtyRows(fixture, tenantId)).values()].map((row) => row.priority)).toEqual([2, 2]);
    const [first, second] = await fixture.outbox.claim(2, 60_000);
    if (first === undefined || second === undefined) throw new Error('two cards are dirty');
    const outcomes = [{ generation: number, indexed: indexedCard(1) }];
    await fixture.outbox.done([{ claim: first, outcomes }]);
    expect(await fixture.ledger.promote(tenantId, number)).toBe(false);
    await fixture.outbox.done([{ claim: second, outcomes }]);
    expect(await fixture.ledger.promote(tenantId, number)).toBe(true);
  });

  test('a generation marks all cards in transactions of a few, and none of another tenant', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const id of ids) await create(id);
    await fixture.cards.create(admin(newTenant()), newCard({ id: 'f' }));
    for (const [atOnce, slices] of [
      [1, 6],
      [2, 3],
      [5, 2],
      [10, 1],
    ] as const) {
      await fixture.database.execute(Prisma.sql`DELETE FROM index_dirty`);
      statements.length = 0;
      await ledgerOf(atOnce).startGeneration(tenantId, `model-${atOnce}`);
      const sent = statements.filter((sql) => /INSERT INTO index_dirty|^COMMIT/.test(sql));
      // The first COMMIT is that of the reservation.
      const expected = ['COMMIT', ...Array.from({ length: slices }, () => ['INSERT', 'COMMIT']).flat()];
      expect(sent.map((sql) => (sql.startsWith('COMMIT') ? 'COMMIT' : 'INSERT'))).toEqual(expected);
      const rows = [...(await dirtyRows(fixture, tenantId))];
      expect(rows.map(([id, { seq, priority }]) => [id, seq, priority]).sort()).toEqual(ids.map((id) => [id, 1n, 2]));
    }
    expect(await fixture.outbox.backlog()).toMatchObject({ waiting: 5 });
  });

  test('a generation whose cards were marked in part, as by a crash, becomes live when it has all of them', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const id of ids) await create(id);
    await fixture.database.execute(Prisma.sql`DELETE FROM index_dirty WHERE card_id <> 'e'`);
    for (const claim of await fixture.outbox.claim(10, 60_000)) await fixture.outbox.fail(claim, 'no', null);
    const ledger = ledgerOf(2);
    const later = Prisma.sql`ALTER TABLE index_dirty ADD CONSTRAINT crash CHECK (card_id NOT IN ('c', 'd')) NOT VALID`;
    await fixture.database.execute(later);
    const failures: unknown[] = [];
    const onUnmarked = (error: unknown) => failures.push(error);
    const { generation, isNew } = await ledger.startGeneration(tenantId, 'model-a', { onUnmarked });
    expect(failures).toEqual([expect.objectContaining({ message: expect.stringContaining('crash') })]);
    expect({ state: generation.state, isNew }).toEqual({ state: 'building', isNew: true });
    await fixture.database.execute(Prisma.sql`ALTER TABLE index_dirty DROP CONSTRAINT crash`);
    expect(await ledger.startGeneration(tenantId, 'model-a')).toEqual({ generation, isNew: false });
    const dirty = async () => [...(await dirtyRows(fixture, tenantId)).keys()].sort();
    expect((await dirtyRows(fixture, tenantId)).get('e')).toMatchObject({ dead: false });
    for (const marked of [
      ['a', 'b', 'e'],
      ['c', 'd'],
    ]) {
      expect(await dirty()).toEqual(marked);
      expect(await ledger.promote(tenantId, generation.number)).toBe(false);
      await indexEverything(fixture, [generation.number]);
      const isLast = marked.includes('d');
      expect(await ledger.promote(tenantId, generation.number)).toBe(isLast);
    }
  });

  test('a start whose cards cannot be marked leaves nothing behind', async () => {
    await create('a');
    const forbid = Prisma.sql`ALTER TABLE index_dirty ADD CONSTRAINT forbidden CHECK (false) NOT VALID`;
    const prepare = async (): Promise<void> => void (await fixture.database.execute(forbid));
    await expect(fixture.ledger.startGeneration(tenantId, 'model-a', { prepare })).rejects.toThrow();
    await fixture.database.execute(Prisma.sql`ALTER TABLE index_dirty DROP CONSTRAINT forbidden`);
    const where = { tenantId };
    expect(await fixture.database.run(({ indexGeneration }) => indexGeneration.count({ where }))).toBe(0);
    expect((await fixture.ledger.startGeneration(tenantId, 'model-a')).generation.number).toBe(1);
  });

  test('a card that was given up does not keep a generation from becoming live', async () => {
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

  test('promote marks a card that the building generation lacks and that is not dirty', async () => {
    const {
      generation: { number },
    } = await fixture.ledger.startGeneration(tenantId, 'model-a');
    await create('late');
    await fixture.database.execute(Prisma.sql`DELETE FROM index_dirty`);
    expect(await fixture.ledger.promote(tenantId, number)).toBe(false);
    expect((await dirtyRows(fixture, tenantId)).get('late')?.priority).toBe(2);
    await indexEverything(fixture, [number]);
    expect(await fixture.ledger.promote(tenantId, number)).toBe(true);
  });

  test('progress counts the existing cards that a generation has, not records of deleted ones', async () => {
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

  test('starting twice for one model builds once; another model starts another generation', async () => {
    await create('a');
    const { generation: first } = await fixture.ledger.startGeneration(tenantId, 'model-a');
    const again = await Promise.all(
      Array.from({ length: 4 }, () => fixture.ledger.startGeneration(tenantId, 'model-a')),
    );
    expect(again).toEqual(Array.from({ length: 4 }, () => ({ generation: first, isNew: false })));
    const { generation: other } = await fixture.ledger.startGeneration(tenantId, 'model-b');
    expect(other).toMatchObject({ number: 2, modelKey: 'model-b', state: 'building' });
    await endGrace(fixture);
    expect((await ownGenerations()).map(({ number, state }) => [number, state])).toEqual([
      [1, 'retired'],
      [2, 'building'],
    ]);
  });

  test('a generation is not visible before its collections are created, and marks no card until then', async () => {
    await create('a');
    await fixture.database.execute(Prisma.sql`DELETE FROM index_dirty`);
    const seen: unknown[] = [];
    const prepare = async ({ number }: { readonly number: number }): Promise<void> => {
      const dirty = await dirtyRows(fixture, tenantId);
      seen.push(await ownGenerations(), await fixture.ledger.promote(tenantId, number), dirty.size);
    };
    const { generation } = await fixture.ledger.startGeneration(tenantId, 'model-a', { prepare });
    expect(seen).toEqual([[], false, 0]);
    expect(await ownGenerations()).toEqual([generation]);
    expect((await dirtyRows(fixture, tenantId)).size).toBe(1);
  });

  test('a generation whose collections cannot be created does not begin, and the next one gets its number', async () => {
    const prepare = (): Promise<void> => Promise.reject(new Error('no room'));
    await expect(fixture.ledger.startGeneration(tenantId, 'model-a', { prepare })).rejects.toThrow('no room');
    await endGrace(fixture);
    expect(await ownGenerations()).toEqual([]);
    expect((await fixture.ledger.startGeneration(tenantId, 'model-a')).generation.number).toBe(1);
  });

  test('if another gateway has the next number, a reservation that failed is dropped like a retired generation', async () => {
    const prepare = async (): Promise<void> => {
      await fixture.ledger.startGeneration(tenantId, 'model-a');
      throw new Error('no room');
    };
    await expect(fixture.ledger.startGeneration(tenantId, 'model-a', { prepare })).rejects.toThrow('no room');
    const ofOther = [2, 'building'];
    expect((await ownGenerations()).map(({ number, state }) => [number, state])).toEqual([ofOther]);
    await endGrace(fixture);
    expect((await ownGenerations()).map(({ number, state }) => [number, state])).toEqual([[1, 'retired'], ofOther]);
  });

  test('a generation does not begin if creating its collections took longer than the reservation', async () => {
    const started = fixture.ledger.startGeneration(tenantId, 'model-a', {
      prepare: async () => void (await endGrace(fixture)),
    });
    await expect(started).rejects.toThrow(UnavailableError);
    expect((await ownGenerations()).map(({ state }) => state)).toEqual(['retired']);
  });

  test('a generation begins only while the one it replaces exists, or if it is the first', async () => {
    const first = await liveGeneration(fixture, tenantId);
    const start = async (replaces: number | null, modelKey = 'model-a') => {
      const { generation, isNew } = await fixture.ledger.startGeneration(tenantId, modelKey, { replaces });
      return [generation.number, isNew];
    };
    expect(await start(null)).toEqual([first, false]);
    expect(await start(first)).toEqual([first + 1, true]);
    expect(await start(first)).toEqual([first + 1, false]);
    expect(await start(null, 'model-b')).toEqual([first + 1, false]);
    // A building generation may be replaced, too.
    expect(await start(first + 1)).toEqual([first + 2, true]);
    expect(await start(first + 1)).toEqual([first + 2, false]);
    expect(await fixture.ledger.promote(tenantId, first + 2)).toBe(true);
    expect(await start(first)).toEqual([first + 2, false]);
  });

  test('generations begin in the order of their numbers: one that was overtaken does not begin', async () => {
    const prepare = async (): Promise<void> => void (await liveGeneration(fixture, tenantId));
    const { generation, isNew } = await fixture.ledger.startGeneration(tenantId, 'model-b', { prepare });
    expect([generation.number, generation.modelKey, generation.state, isNew]).toEqual([2, 'model-a', 'live', false]);
  });

  test('a building generation can be retired, a live one cannot', async () => {
    const first = await liveGeneration(fixture, tenantId);
    const { generation } = await fixture.ledger.startGeneration(tenantId, 'model-b');
    await fixture.ledger.retireGeneration(tenantId, generation.number);
    await fixture.ledger.retireGeneration(tenantId, first);
    expect(await fixture.ledger.promote(tenantId, generation.number)).toBe(false);
    expect((await ownGenerations()).map(({ number, state }) => [number, state])).toEqual([[first, 'live']]);
    await endGrace(fixture);
    expect((await ownGenerations()).map(({ state }) => state)).toEqual(['live', 'retired']);
  });

  test('the new generation replaces the live one, which is listed as retired after the grace period', async () => {
    await create('a');
    const old = await liveGeneration(fixture, tenantId);
    const { generation: next } = await fixture.ledger.startGeneration(tenantId, 'model-b');
    expect((await fixture.ledger.live(tenantId))?.number).toBe(old);
    await indexEverything(fixture, [old, next.number]);
    expect(await fixture.ledger.promote(tenantId, next.number)).toBe(true);
    expect(await fixture.ledger.live(tenantId)).toEqual({ ...next, state: 'live' });
    expect((await ownGenerations()).map(({ number }) => number)).toEqual([next.number]);
    await endGrace(fixture);
    expect((await ownGenerations()).map(({ number, state }) => [number, state])).toEqual([
      [old, 'retired'],
      [next.number, 'live'],
    ]);
    expect(await fixture.ledger.promote(tenantId, old)).toBe(false);
  });

  test("dropping deletes a generation's records, never frees its number, and is refused for the live one", async () => {
    await create('a');
    const live = await liveGeneration(fixture, tenantId);
    await fixture.ledger.dropGeneration(tenantId, live);
    expect((await fixture.ledger.live(tenantId))?.number).toBe(live);
    const {
      generation: { number },
    } = await fixture.ledger.startGeneration(tenantId, 'model-b');
    await indexEverything(fixture, [live, number]);
    await fixture.ledger.dropGeneration(tenantId, number);
    expect(await fixture.ledger.indexed(tenantId, number, ['a'])).toEqual(new Map());
    expect((await fixture.ledger.indexed(tenantId, live, ['a'])).size).toBe(1);
    await endGrace(fixture);
    expect((await ownGenerations()).map((generation) => generation.number)).toEqual([live]);
    expect((await fixture.ledger.startGeneration(tenantId, 'model-b')).generation.number).toBe(number + 1);
  });
});
