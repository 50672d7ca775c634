import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { encodeSyncCursor, startOf } from '../../../prisma/cards/sync-cursor.js';
import { keyOf, PostgresSyncFeed } from '../../../prisma/cards/sync-feed.js';
import { openDatabase } from '../../../prisma/client.js';
import { Prisma } from '../../../prisma/generated/client.js';
import { PostgresImportStore } from '../../../prisma/import/import-store.js';
import { PostgresLabelStore } from '../../../prisma/labels/label-store.js';
import type { Card } from '../../../src/domain/card.js';
import { BadInputError, ConflictError, CursorExpiredError, NotFoundError } from '../../../src/domain/errors.js';
import type { SyncFeed } from '../../../src/domain/ports/sync.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { mergeDrafts } from '../../../src/exchange/import/merge.js';
import { admin, type Fixture, newCard, newTenant, openFixture, student } from './fixture.js';

let fixture: Fixture;
let feed: PostgresSyncFeed;
let imports: PostgresImportStore;
let tenant: string;
let amy: Viewer;
let ben: Viewer;
beforeAll(async () => {
  fixture = await openFixture();
  feed = new PostgresSyncFeed(fixture.database);
  imports = new PostgresImportStore(fixture.database, fixture.dirty, 2 ** 30);
});
afterAll(() => fixture.close());
beforeEach(() => {
  tenant = newTenant();
  amy = student(tenant, 'amy');
  ben = student(tenant, 'ben');
});

/** A client that keeps a copy of the cards. */
class Copy {
  readonly cards = new Map<string, Card>();
  readonly #seen = new Set<string>();
  cursor: string | null = null;

  constructor(readonly viewer: Viewer) {}

  /** Reads one page; false where the copy is up to date. */
  async read(from: SyncFeed, first = 3): Promise<boolean> {
    const { edges, hasNextPage, endCursor } = await from.changes(this.viewer, { first, after: this.cursor });
    for (const { node: change } of edges) {
      const { cardId, card, revision } = change;
      const key = `${cardId} ${revision} ${card === null}`;
      expect(this.#seen).not.toContain(key);
      this.#seen.add(key);
      if (card === null) this.cards.delete(cardId);
      else {
        expect(card).toMatchObject({ id: cardId, revision });
        this.cards.set(cardId, card);
      }
    }
    this.cursor = endCursor;
    return hasNextPage;
  }

  async catchUp(from: SyncFeed = feed): Promise<ReadonlyMap<string, Card>> {
    while (await this.read(from, 100));
    return this.cards;
  }
}

async function stored(viewer: Viewer): Promise<ReadonlyMap<string, Card>> {
  const { edges } = await fixture.cards.page(viewer, {}, { first: 100, after: null });
  return new Map(edges.map(({ node: card }) => [card.id, card]));
}

describe('a copy made from the feed', () => {
  test('has exactly the cards after concurrent creates, changes, deletions and merges, whoever reads when and where', async () => {
    const writer = async (viewer: Viewer, salt: number): Promise<void> => {
      const { cards } = fixture;
      let seed = salt;
      const random = (below: number): number => {
        seed = (seed * 48_271) % 2_147_483_647;
        return seed % below;
      };
      // Both owners use the same ids, one after the other.
      const id = (but = ''): string => {
        for (;;) {
          const one = `card-${random(12)}`;
          if (one !== but) return one;
        }
      };
      const steps = [
        (one: string) => cards.create(viewer, newCard({ id: one })),
        (one: string) => cards.update(viewer, one, { notes: `${random(1_000_000)}` }, null),
        (one: string) => cards.update(viewer, one, { topicTags: [`${random(1_000)}`] }, null),
        (one: string) => cards.delete(viewer, one),
        (one: string) => imports.merge(viewer, { into: one, from: id(one) }, mergeDrafts),
      ];
      for (let step = 0; step < 20; step++) {
        const change = steps[random(steps.length)] as (one: string) => Promise<unknown>;
        await change(id()).catch((thrown) => {
          if (!(thrown instanceof ConflictError || thrown instanceof NotFoundError)) throw thrown;
        });
      }
    };
    const copies = [amy, ben, admin(tenant)].map((viewer) => new Copy(viewer));
    // Another gateway, or the same one after a restart.
    const database = await openDatabase(fixture.url);
    const reopened = new PostgresSyncFeed(database);
    await reopened.adopt();
    let writing = true;
    const readers = copies.map(async (copy) => {
      for (let page = 1; writing; page++) await copy.read(page % 2 === 0 ? feed : reopened);
    });
    const late = fixture.database.transaction(async (tx) => {
      // A transaction with a low number that commits after many others.
      await tx.execute(Prisma.sql`INSERT INTO topic_tag (tenant_id, key, name) VALUES (${tenant}, 'late', 'late')`);
      await Promise.all([amy, amy, ben, ben].map((viewer, place) => writer(viewer, 17 + place)));
      await tx.execute(Prisma.sql`UPDATE card SET notes = 'late', revision = revision + 1 WHERE tenant_id = ${tenant}`);
    });
    const stop = late.finally(() => {
      writing = false;
    });
    await Promise.all([stop, ...readers]).finally(() => database.close());
    for (const copy of copies) expect(await copy.catchUp()).toEqual(await stored(copy.viewer));
    expect(copies[2]?.cards.size).toBeGreaterThan(0);
  });

  test('misses no transaction that began before a page was read and committed after it', async () => {
    await fixture.cards.create(amy, newCard({ id: 'slow' }));
    const copy = new Copy(amy);
    await copy.catchUp();
    await fixture.database.transaction(async (tx) => {
      await tx.execute(
        Prisma.sql`UPDATE card SET notes = 'late', revision = 2 WHERE tenant_id = ${tenant} AND id = 'slow'`,
      );
      await fixture.cards.create(amy, newCard({ id: 'quick' }));
      await copy.catchUp();
      expect([...copy.cards.keys()]).toEqual(['slow', 'quick']);
      expect(copy.cards.get('slow')?.notes).toBeNull();
    });
    expect((await copy.catchUp()).get('slow')?.notes).toBe('late');
  });

  test('tells an owner of a deletion even if another owner has taken the id', async () => {
    const mine = new Copy(amy);
    const school = new Copy(admin(tenant));
    await fixture.cards.create(amy, newCard({ id: 'taken' }));
    await mine.catchUp();
    await school.catchUp();
    await fixture.cards.delete(amy, 'taken');
    await fixture.cards.create(ben, newCard({ id: 'taken' }));
    expect((await mine.catchUp()).size).toBe(0);
    expect((await school.catchUp()).get('taken')?.ownerId).toBe('ben');
    expect((await new Copy(ben).catchUp()).size).toBe(1);
  });

  test('says what a card was merged into', async () => {
    for (const id of ['kept', 'merged', 'deleted']) await fixture.cards.create(amy, newCard({ id }));
    await imports.merge(amy, { into: 'kept', from: 'merged' }, mergeDrafts);
    await fixture.cards.delete(amy, 'deleted');
    const { edges } = await feed.changes(amy, { first: 10, after: null });
    const gone = edges.map(({ node }) => node).filter(({ card }) => card === null);
    expect(gone.map(({ cardId, mergedInto }) => [cardId, mergedInto])).toEqual([
      ['merged', 'kept'],
      ['deleted', null],
    ]);
  });

  test('shows nothing of other students and tenants', async () => {
    await fixture.cards.create(amy, newCard({ id: 'secret' }));
    await fixture.cards.delete(amy, 'secret');
    for (const viewer of [ben, admin(newTenant()), student(newTenant(), 'amy')]) {
      expect((await feed.changes(viewer, { first: 10, after: null })).edges).toEqual([]);
    }
  });

  test('is told by a filter what each change means, as a list with that filter has it', async () => {
    for (const [id, topicTags] of [
      ['narrow', ['halves']],
      ['same', ['fractions']],
      ['other', ['sums']],
    ] as const) {
      await fixture.cards.create(amy, newCard({ id, topicTags }));
    }
    const labels = new PostgresLabelStore(fixture.database, fixture.dirty);
    await labels.set(admin(tenant), 'topicTags', 'fractions', { aliases: ['分数'] });
    await labels.set(admin(tenant), 'topicTags', 'halves', { parent: 'fractions' });
    await fixture.cards.create(amy, newCard({ id: 'gone', topicTags: ['fractions'] }));
    await fixture.cards.delete(amy, 'gone');
    const filter = { topicTags: ['分数'] };
    const { edges } = await feed.changes(amy, { first: 10, after: null, filter });
    const kinds = Object.fromEntries(edges.map(({ node }) => [node.cardId, node.kind]));
    expect(kinds).toEqual({ narrow: 'SAVED', same: 'SAVED', other: 'UNMATCHED', gone: 'REMOVED' });
    const list = await fixture.cards.page(amy, filter, { first: 10, after: null });
    expect(list.edges.map(({ node }) => node.id).sort()).toEqual(['narrow', 'same']);
  });

  test('is not sent what has no new revision', async () => {
    await fixture.cards.create(amy, newCard({ id: 'same' }));
    const copy = new Copy(amy);
    await copy.catchUp();
    await fixture.cards.update(amy, 'same', { subject: 'math' }, null);
    await fixture.database.execute(Prisma.sql`UPDATE card SET question_key = NULL WHERE tenant_id = ${tenant}`);
    expect((await feed.changes(amy, { first: 10, after: copy.cursor })).edges).toEqual([]);
  });
});

describe('a cursor', () => {
  test('of another viewer, role or server has expired', async () => {
    const { endCursor } = await feed.changes(amy, { first: 1, after: null });
    for (const viewer of [ben, { ...amy, role: 'teacher' as const }, student(newTenant(), 'amy')]) {
      await expect(feed.changes(viewer, { first: 1, after: endCursor })).rejects.toThrow(CursorExpiredError);
    }
  });

  test('of an empty page does not tell whether somebody has written since the last one', async () => {
    const { endCursor: after } = await feed.changes(amy, { first: 100, after: null });
    const polls = [await feed.changes(amy, { first: 1, after }), await feed.changes(amy, { first: 1, after })];
    expect(polls.map(({ edges }) => edges)).toEqual([[], []]);
    const cursors = [after, ...polls.map(({ endCursor }) => endCursor)];
    expect(new Set(cursors).size).toBe(3);
  });

  test('from the future, as after a restoration of the same server, has expired', async () => {
    const owner = { viewer: amy, key: await keyOf(fixture.database) };
    const ahead = encodeSyncCursor(owner, startOf({ next: 10n ** 12n, running: [] }));
    await expect(feed.changes(amy, { first: 1, after: ahead })).rejects.toThrow(/older than the cursor: start again/);
  });

  test('of an earlier version, which was not encrypted, has expired', async () => {
    const after = Buffer.from('s1_1__0__0123456789012345678901').toString('base64url');
    await expect(feed.changes(amy, { first: 1, after })).rejects.toThrow(CursorExpiredError);
  });

  test('is the same in each gateway of a database', async () => {
    const other = new PostgresSyncFeed(fixture.database);
    const { endCursor } = await feed.changes(amy, { first: 1, after: null });
    expect((await other.changes(amy, { first: 1, after: endCursor })).edges).toEqual([]);
  });

  test('of another list is refused', async () => {
    for (const id of ['c1', 'c2']) await fixture.cards.create(amy, newCard({ id }));
    const { edges } = await fixture.cards.page(amy, {}, { first: 1, after: null });
    await expect(feed.changes(amy, { first: 1, after: edges[0]?.cursor ?? '' })).rejects.toThrow(BadInputError);
  });

  test.each(['x', '', 'czJf', 'czJfAAAA', 'czFfMV9fMF9fYWJj', `czJf${'A'.repeat(60)}=`, `czJf${'A'.repeat(61)}B`])(
    'that is malformed is refused: %s',
    async (after) => {
      await expect(feed.changes(amy, { first: 1, after })).rejects.toThrow(BadInputError);
    },
  );

  test('that is malformed as one of an earlier version is refused', async () => {
    const after = Buffer.from('s1_1__1_a b_0123456789012345678901').toString('base64url');
    await expect(feed.changes(amy, { first: 1, after })).rejects.toThrow(BadInputError);
  });
});

test('after a restoration on a server with lower numbers, every card is in the feed again', async () => {
  await fixture.cards.create(amy, newCard({ id: 'restored' }));
  await fixture.database.execute(Prisma.sql`
    UPDATE card_change SET transaction = transaction + 1000000000 WHERE tenant_id = ${tenant}`);
  await feed.adopt();
  const { endCursor } = await feed.changes(amy, { first: 10, after: null });
  await fixture.cards.update(amy, 'restored', { notes: 'new' }, null);
  const { edges } = await feed.changes(amy, { first: 10, after: endCursor });
  expect(edges.map(({ node }) => node.card?.notes)).toEqual(['new']);
});
