import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { ConflictError, NotFoundError } from '../../../src/domain/errors.js';
import { admin, dirtyRows, type Fixture, newCard, newTenant, openFixture, student } from './fixture.js';

let fixture: Fixture;
let statements: string[];

beforeAll(async () => {
  statements = [];
  fixture = await openFixture({ onQuery: (sql) => statements.push(sql) });
});
afterAll(() => fixture.close());

describe('creating', () => {
  test('a card is read as it was written, with times to the millisecond and labels in their order', async () => {
    const viewer = admin(newTenant());
    const written = newCard({ id: 'my:card-1', topicTags: ['z', 'a', 'm'], errorTypes: ['二', '一'] });
    const created = await fixture.cards.create(viewer, written);
    expect(created).toEqual({
      ...written,
      tenantId: viewer.tenantId,
      ownerId: 'admin',
      revision: 1,
      occurrences: 1,
      createdAt: expect.any(Date),
      updatedAt: created.createdAt,
    });
    expect((await fixture.cards.byIds(viewer, ['my:card-1'])).get('my:card-1')).toEqual(created);
  });

  test('a card without an id gets a UUID, and its missing texts are null', async () => {
    const viewer = admin(newTenant());
    const bare = newCard({
      grade: null,
      studentSolutionText: null,
      goldSolutionBrief: null,
      qualityGrade: null,
      topicTags: [],
      errorTypes: [],
    });
    const created = await fixture.cards.create(viewer, bare);
    expect(created.id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await fixture.cards.byIds(viewer, [created.id])).get(created.id)).toEqual(created);
  });

  test('choices are stored in order; another choice makes another question', async () => {
    const viewer = admin(newTenant());
    const created = await fixture.cards.create(viewer, newCard({ id: 'a', choices: ['12', '15'] }));
    const stored = async () => (await fixture.cards.byIds(viewer, ['a'])).get('a');
    const key = () =>
      fixture.database.run(({ card }) => card.findFirst({ where: { tenantId: viewer.tenantId, id: 'a' } }));
    expect(await stored()).toEqual(created);
    const before = await key();
    const changed = await fixture.cards.update(viewer, 'a', { choices: ['15', '18'] }, null);
    expect(changed).toMatchObject({ revision: 2, choices: ['15', '18'] });
    expect(await stored()).toEqual(changed);
    expect((await key())?.questionKey).not.toBe(before?.questionKey);
    expect(await fixture.cards.update(viewer, 'a', { choices: ['15', '18'] }, null)).toMatchObject({ revision: 2 });
  });

  test('an existing id is a conflict, and the first card and its outbox row stay unchanged', async () => {
    const viewer = admin(newTenant());
    const first = await fixture.cards.create(viewer, newCard({ id: 'a' }));
    await expect(fixture.cards.create(viewer, newCard({ id: 'a', subject: 'physics' }))).rejects.toThrow(ConflictError);
    expect((await fixture.cards.byIds(viewer, ['a'])).get('a')).toEqual(first);
    expect((await dirtyRows(fixture, viewer.tenantId)).get('a')?.seq).toBe(1n);
  });

  test('cards created at once with the same new labels are all stored, and each label exists once', async () => {
    const viewer = admin(newTenant());
    const names = ['new-a', 'new-b', 'new-c', 'new-d'];
    const created = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const topicTags = index % 2 === 0 ? names : names.toReversed();
        return fixture.cards.create(viewer, newCard({ topicTags, errorTypes: topicTags.slice(0, 2) }));
      }),
    );
    const cards = await fixture.cards.byIds(
      viewer,
      created.map((card) => card.id),
    );
    for (const card of created) expect(cards.get(card.id)).toEqual(card);
    const tags = await fixture.database.query<{ name: string }>(
      Prisma.sql`SELECT name FROM topic_tag WHERE tenant_id = ${viewer.tenantId} ORDER BY name`,
    );
    expect(tags.map((tag) => tag.name)).toEqual(names);
  });

  test('a card that the database refuses leaves no card, label or outbox row', async () => {
    const viewer = admin(newTenant());
    const bad = newCard({ id: 'bad', topicTags: ['only here'], errorTypes: ['nul \u0000'] });
    await expect(fixture.cards.create(viewer, bad)).rejects.toThrow();
    expect((await fixture.cards.byIds(viewer, ['bad'])).size).toBe(0);
    expect((await dirtyRows(fixture, viewer.tenantId)).size).toBe(0);
    const tags = await fixture.database.query(Prisma.sql`SELECT FROM topic_tag WHERE tenant_id = ${viewer.tenantId}`);
    expect(tags).toHaveLength(0);
  });

  test.each([
    ['an id of another form', { id: 'no spaces' }],
    ['a difficulty out of range', { difficulty: 6 }],
    ['an empty text instead of none', { notes: '' }],
    ['an unknown quality grade', { qualityGrade: 'SUPERB' as 'GOOD' }],
  ])('the table itself refuses %s', async (_, over) => {
    const viewer = admin(newTenant());
    await expect(fixture.cards.create(viewer, newCard(over))).rejects.toThrow(/check constraint/);
    expect((await fixture.cards.page(viewer, {}, { first: 1, after: null })).totalCount).toBe(0);
  });
});

describe('deleting', () => {
  test('a deleted card loses its labels and occurrences, and stays dirty for the index', async () => {
    const viewer = admin(newTenant());
    await fixture.cards.create(viewer, newCard({ id: 'd' }));
    expect(await fixture.cards.delete(viewer, 'd')).toBe(true);
    expect(await fixture.cards.delete(viewer, 'd')).toBe(false);
    expect((await fixture.cards.byIds(viewer, ['d'])).size).toBe(0);
    const [left] = await fixture.database.query<{ rows: number }>(Prisma.sql`
      SELECT ((SELECT count(*) FROM card_topic_tag WHERE tenant_id = ${viewer.tenantId})
        + (SELECT count(*) FROM card_occurrence WHERE tenant_id = ${viewer.tenantId}))::int AS rows`);
    expect(left?.rows).toBe(0);
    expect((await dirtyRows(fixture, viewer.tenantId)).get('d')?.seq).toBe(2n);
  });

  test('an id can be reused after its card was deleted, and its revisions continue', async () => {
    const viewer = admin(newTenant());
    await fixture.cards.create(viewer, newCard({ id: 'again' }));
    await fixture.cards.update(viewer, 'again', { difficulty: 5 }, null);
    await fixture.cards.delete(viewer, 'again');
    const second = await fixture.cards.create(viewer, newCard({ id: 'again', subject: 'biology' }));
    expect(second.revision).toBe(3);
    expect((await dirtyRows(fixture, viewer.tenantId)).get('again')?.seq).toBe(4n);
  });
});

describe('viewers', () => {
  test('two tenants may have a card of the same id, and neither sees or changes the other', async () => {
    const [left, right] = [admin(newTenant()), admin(newTenant())];
    const mine = await fixture.cards.create(left, newCard({ id: 'shared', subject: 'left' }));
    const theirs = await fixture.cards.create(right, newCard({ id: 'shared', subject: 'right' }));
    await fixture.cards.update(right, 'shared', { subject: 'changed' }, null);
    expect((await fixture.cards.byIds(left, ['shared'])).get('shared')).toEqual(mine);
    await fixture.cards.delete(right, 'shared');
    expect((await fixture.cards.byIds(left, ['shared'])).get('shared')).toEqual(mine);
    expect(theirs.subject).toBe('right');
    expect((await fixture.cards.page(right, {}, { first: 10, after: null })).totalCount).toBe(0);
  });

  test("a student neither sees nor changes another student's card, and cannot tell that it exists", async () => {
    const tenant = newTenant();
    const [amy, ben] = [student(tenant, 'amy'), student(tenant, 'ben')];
    const card = await fixture.cards.create(amy, newCard({ id: 'amys' }));
    expect(card.ownerId).toBe('amy');
    expect((await fixture.cards.byIds(ben, ['amys'])).size).toBe(0);
    expect((await fixture.cards.page(ben, {}, { first: 10, after: null })).totalCount).toBe(0);
    expect((await fixture.cards.facets(ben, {})).total).toBe(0);
    expect(await fixture.cards.delete(ben, 'amys')).toBe(false);
    const foreign = await fixture.cards.update(ben, 'amys', { difficulty: 1 }, 1).catch((error: Error) => error);
    const absent = await fixture.cards.update(ben, 'none', { difficulty: 1 }, 1).catch((error: Error) => error);
    expect(foreign).toBeInstanceOf(NotFoundError);
    expect((foreign as Error).message.replace('amys', 'none')).toBe((absent as Error).message);
    const teacher = { tenantId: tenant, ownerId: 'tina', role: 'teacher' } as const;
    expect((await fixture.cards.byIds(teacher, ['amys'])).get('amys')).toEqual(card);
    expect((await fixture.cards.byIds(amy, ['amys'])).get('amys')).toEqual(card);
  });
});

describe('reading', () => {
  test('any number of cards takes one statement', async () => {
    const viewer = admin(newTenant());
    const created = [];
    for (let index = 0; index < 50; index++) {
      created.push(await fixture.cards.create(viewer, newCard({ topicTags: [`t${index}`, 'all'] })));
    }
    const ids = created.map((card) => card.id);
    for (const some of [ids.slice(0, 1), ids]) {
      statements.length = 0;
      expect((await fixture.cards.byIds(viewer, some)).size).toBe(some.length);
      expect(statements).toEqual([expect.stringContaining('FROM card')]);
    }
  });

  test('listeners are notified of every commit that made a card dirty, and of nothing else', async () => {
    const viewer = admin(newTenant());
    let heard = 0;
    const stop = fixture.outbox.onDirty(() => {
      heard++;
    });
    const counts: number[] = [];
    const count = async (work: Promise<unknown>): Promise<void> => {
      await work;
      counts.push(heard);
    };
    await count(fixture.cards.create(viewer, newCard({ id: 'l' })));
    await count(fixture.cards.update(viewer, 'l', { difficulty: 2 }, null));
    await count(fixture.cards.update(viewer, 'l', { difficulty: 2 }, null));
    await count(fixture.cards.update(viewer, 'l', { difficulty: 4 }, 1).catch(() => undefined));
    await count(fixture.cards.delete(viewer, 'l'));
    await count(fixture.cards.delete(viewer, 'l'));
    stop();
    await count(fixture.cards.create(viewer, newCard()));
    expect(counts).toEqual([1, 2, 2, 2, 3, 3, 3]);
  });
});
