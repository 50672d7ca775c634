import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresSyncFeed } from '../../../prisma/cards/sync-feed.js';
import { PostgresFileStore } from '../../../prisma/cards/uploaded-files.js';
import { Prisma } from '../../../prisma/generated/client.js';
import { PostgresImportStore } from '../../../prisma/import/import-store.js';
import { PostgresAttemptStore } from '../../../prisma/practice/attempts.js';
import type { Card, NewCard } from '../../../src/domain/card.js';
import type { Occurrence } from '../../../src/domain/occurrence.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { mergeDrafts, withoutMerged } from '../../../src/exchange/import/merge.js';
import { admin, type Fixture, newCard, newTenant, openFixture, student } from './fixture.js';
import { reviewsOf } from './practice-world.js';

let fixture: Fixture;
let imports: PostgresImportStore;
let attempts: PostgresAttemptStore;
beforeAll(async () => {
  fixture = await openFixture();
  imports = new PostgresImportStore(fixture.database, fixture.dirty, 2 ** 30);
  attempts = new PostgresAttemptStore(fixture.database, fixture.dirty);
});
afterAll(() => fixture.close());

const merge = (viewer: Viewer, from: string, into: string): Promise<void> =>
  imports.merge(viewer, { from, into }, mergeDrafts);
const unmerge = (viewer: Viewer, id: string, expectedRevision: number | null = null): Promise<string> =>
  imports.unmerge(viewer, { id, expectedRevision }, withoutMerged);

async function made(viewer: Viewer, id: string, over: Partial<NewCard> = {}): Promise<Card> {
  return fixture.cards.create(viewer, newCard({ id, ...over }));
}

async function card(viewer: Viewer, id: string): Promise<Card | undefined> {
  return (await fixture.cards.byIds(viewer, [id])).get(id);
}

/** What a card is, but for its revision and when it was changed. */
async function told(viewer: Viewer, ids: readonly string[]): Promise<unknown> {
  const cards = await fixture.cards.byIds(viewer, ids);
  const times = await imports.occurrences(viewer, ids);
  return ids.map((id) => {
    const { revision: _, updatedAt: __, ...content } = cards.get(id) ?? ({} as Card);
    return { content, times: (times.get(id) ?? []).map(({ number: ___, ...time }: Occurrence) => time) };
  });
}

let nth = 0;
async function attempted(viewer: Viewer, cardId: string, more: object = {}): Promise<void> {
  nth += 1;
  const one = {
    key: `key-${nth}`,
    cardId,
    ownerId: viewer.ownerId,
    reviewOf: null,
    at: new Date(1_750_000_000_000 + nth * 86_400_000),
    correct: nth % 3 !== 0,
    hints: 0,
    durationMs: 1_000,
    changedAnswer: false,
    answer: null,
    recordOccurrence: false,
    isDated: true,
    ...more,
  };
  const results = await attempts.record(viewer, new Map([[viewer.ownerId, [one]]]));
  expect(results.get(viewer.ownerId)).toMatchObject([{ outcome: 'RECORDED' }]);
}

const states = async (viewer: Viewer, ids: readonly string[]): Promise<unknown> =>
  [...(await reviewsOf(fixture.database, viewer, viewer.ownerId, ids))].sort();

describe('undoing a merge', () => {
  test('restores both cards with their occurrences, labels, files and attempts', async () => {
    const tenant = newTenant();
    const amy = student(tenant, 'amy');
    const tess: Viewer = { tenantId: tenant, ownerId: 'tess', role: 'teacher' };
    const content = Buffer.from('\x89PNG\r\n\x1a\n x', 'latin1');
    const sha256 = 'c'.repeat(64);
    await new PostgresFileStore(fixture.database, 2 ** 30).keep(amy, { sha256, contentType: 'image/png', content });
    const file = { kind: 'QUESTION', altText: null, url: null, sha256, contentType: null, bytes: null } as const;
    await made(amy, 'into', {
      grade: null,
      notes: 'kept',
      topicTags: ['三角形'],
      metadata: [{ key: 'a', value: '1' }],
    });
    await made(amy, 'from', {
      source: 'p. 7',
      notes: 'gone',
      topicTags: ['面积', 'triangle'],
      errorTypes: ['sign error'],
      metadata: [{ key: 'b', value: '2' }],
      attachments: [file],
      occurredAt: new Date('2025-04-05T06:07:08Z'),
    });
    for (const viewer of [amy, tess]) {
      for (const id of ['from', 'into', 'from']) await attempted(viewer, id);
      await attempted(viewer, 'into', { reviewOf: 'from' });
    }
    const before = await told(amy, ['into', 'from']);
    const reviews = [await states(amy, ['into', 'from']), await states(tess, ['into', 'from'])];
    const revisions = [(await card(amy, 'into'))?.revision ?? 0, (await card(amy, 'from'))?.revision ?? 0];
    await merge(amy, 'from', 'into');
    // A teacher's attempts at the student's card are not lost either.
    const kept = await attempts.log(tess, { ownerIds: ['tess'] }, { limit: 100 });
    expect(kept.map(({ cardId, reviewOf }) => [cardId, reviewOf])).toEqual([
      ['into', null],
      ['into', null],
      ['into', null],
      ['into', 'into'],
    ]);
    expect((await states(tess, ['into'])) as unknown[]).toHaveLength(1);
    expect(await unmerge(amy, 'from')).toBe('into');
    expect(await told(amy, ['into', 'from'])).toEqual(before);
    expect([await states(amy, ['into', 'from']), await states(tess, ['into', 'from'])]).toEqual(reviews);
    // Revisions go on.
    expect((await card(amy, 'into'))?.revision).toBe((revisions[0] ?? 0) + 2);
    expect((await card(amy, 'from'))?.revision).toBeGreaterThan(revisions[1] ?? 0);
    expect(await fixture.cards.mergedInto(amy, ['from'])).toEqual(new Map());
    // Once more, and the other way round.
    await merge(amy, 'into', 'from');
    await unmerge(amy, 'into');
    expect(await told(amy, ['into', 'from'])).toEqual(before);
  });

  test('keeps changes, occurrences and attempts that were made after the merge', async () => {
    const amy = student(newTenant(), 'amy');
    await made(amy, 'into', { source: null, topicTags: ['a'], errorTypes: [] });
    await made(amy, 'from', { source: 'book', topicTags: ['b', 'c'], errorTypes: ['e'], studentSolutionText: 'other' });
    await merge(amy, 'from', 'into');
    await fixture.cards.update(amy, 'into', { notes: 'new', source: 'mine', topicTags: ['d', 'a', 'b'] }, null);
    await attempted(amy, 'into');
    await unmerge(amy, 'from');
    expect(await card(amy, 'into')).toMatchObject({
      notes: 'new',
      source: 'mine',
      topicTags: ['d', 'a'],
      errorTypes: [],
    });
    expect(await card(amy, 'from')).toMatchObject({ source: 'book', topicTags: ['b', 'c'], errorTypes: ['e'] });
    const log = await attempts.log(amy, { ownerIds: ['amy'] }, { limit: 10 });
    expect(log.map(({ cardId }) => cardId)).toEqual(['into']);
  });

  test('returns the review of the card that a deleted sibling stood in for', async () => {
    const amy = student(newTenant(), 'amy');
    for (const id of ['sibling', 'from', 'into']) await made(amy, id);
    await attempted(amy, 'sibling', { reviewOf: 'from' });
    const before = await states(amy, ['into', 'from']);
    await merge(amy, 'from', 'into');
    await fixture.cards.delete(amy, 'sibling');
    await unmerge(amy, 'from');
    expect(await states(amy, ['into', 'from'])).toEqual(before);
    const log = await attempts.log(amy, { ownerIds: ['amy'] }, { limit: 10 });
    expect(log.map(({ cardId }) => cardId)).toEqual(['from']);
  });

  test('several merges into one card can be undone in any order, chained merges only from the last', async () => {
    const amy = student(newTenant(), 'amy');
    const ids = ['a', 'b', 'c', 'd'];
    for (const [place, id] of ids.entries()) {
      await made(amy, id, { notes: id, topicTags: [id], occurredAt: new Date(1_700_000_000_000 + place * 1_000) });
    }
    const before = await told(amy, ids);
    for (const id of ['b', 'c', 'd']) await merge(amy, id, 'a');
    for (const id of ['b', 'd', 'c']) await unmerge(amy, id);
    expect(await told(amy, ids)).toEqual(before);
    await merge(amy, 'a', 'b');
    await merge(amy, 'b', 'c');
    await expect(unmerge(amy, 'a')).rejects.toMatchObject({ code: 'CONFLICT', extensions: { cardId: 'b' } });
    await unmerge(amy, 'b');
    await unmerge(amy, 'a');
    expect(await told(amy, ids)).toEqual(before);
  });

  test('appears in the sync feed, and marks both cards for indexing', async () => {
    const amy = student(newTenant(), 'amy');
    const feed = new PostgresSyncFeed(fixture.database);
    await made(amy, 'into');
    await made(amy, 'from');
    await merge(amy, 'from', 'into');
    const { endCursor } = await feed.changes(amy, { first: 10, after: null });
    await fixture.database.execute(Prisma.sql`DELETE FROM index_dirty WHERE tenant_id = ${amy.tenantId}`);
    await unmerge(amy, 'from');
    const { edges } = await feed.changes(amy, { first: 10, after: endCursor });
    const changes = edges.map(({ node }) => [node.cardId, node.card?.id, node.mergedInto]).sort();
    expect(changes).toEqual([
      ['from', 'from', null],
      ['into', 'into', null],
    ]);
    const dirty = await fixture.database.query<{ id: string }>(
      Prisma.sql`SELECT card_id AS id FROM index_dirty WHERE tenant_id = ${amy.tenantId} ORDER BY 1`,
    );
    expect(dirty.map(({ id }) => id)).toEqual(['from', 'into']);
  });
});

describe('undoing a merge is refused', () => {
  test('to nobody because another owner took its id: the id is refused as that of a card', async () => {
    const tenant = newTenant();
    const amy = student(tenant, 'amy');
    const ben = student(tenant, 'ben');
    await made(amy, 'into');
    await made(amy, 'from');
    await merge(amy, 'from', 'into');
    const refused = {
      code: 'CONFLICT',
      message: 'a card with the id "from" exists already',
      extensions: { cardId: 'from' },
    };
    for (const other of [ben, admin(tenant)]) await expect(made(other, 'from')).rejects.toMatchObject(refused);
    await unmerge(amy, 'from');
    expect((await card(amy, 'from'))?.ownerId).toBe('amy');
    await fixture.cards.delete(amy, 'from');
    expect((await made(ben, 'from')).ownerId).toBe('ben');
  });

  test('by a viewer who may not change the card; nothing changes', async () => {
    const tenant = newTenant();
    const amy = student(tenant, 'amy');
    await made(amy, 'into');
    await made(amy, 'from');
    await merge(amy, 'from', 'into');
    const others = [student(tenant, 'ben'), student(newTenant(), 'amy'), admin(newTenant())];
    for (const other of others) await expect(unmerge(other, 'from')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const tess: Viewer = { tenantId: tenant, ownerId: 'tess', role: 'teacher' };
    await expect(unmerge(tess, 'from')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(unmerge(amy, 'from', 1)).rejects.toMatchObject({
      code: 'CONFLICT',
      extensions: { cardId: 'into', revision: 2 },
    });
    expect(await card(amy, 'from')).toBeUndefined();
    await unmerge(admin(tenant), 'from', 2);
    expect((await card(amy, 'from'))?.ownerId).toBe('amy');
    await expect(unmerge(amy, 'from')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('if it was made before merges were recorded, or its id is in use again', async () => {
    const amy = student(newTenant(), 'amy');
    await made(amy, 'into');
    await made(amy, 'from');
    await merge(amy, 'from', 'into');
    const again = await made(amy, 'from', { questionText: 'another question' });
    await expect(unmerge(amy, 'from')).rejects.toMatchObject({ code: 'CONFLICT', extensions: { cardId: 'from' } });
    expect((await card(amy, 'from'))?.questionText).toBe(again.questionText);
    await fixture.cards.delete(amy, 'from');
    await fixture.database.execute(Prisma.sql`DELETE FROM card_merge WHERE tenant_id = ${amy.tenantId}`);
    await expect(unmerge(amy, 'from')).rejects.toMatchObject({ code: 'CONFLICT', extensions: { cardId: 'into' } });
  });

  test('after the kept card was deleted: the record of the merge is deleted with it', async () => {
    const amy = student(newTenant(), 'amy');
    for (const id of ['a', 'b', 'c']) await made(amy, id);
    await merge(amy, 'a', 'b');
    await merge(amy, 'b', 'c');
    await fixture.cards.delete(amy, 'c');
    const rows = await fixture.database.query(
      Prisma.sql`SELECT from_id FROM card_merge WHERE tenant_id = ${amy.tenantId}`,
    );
    expect(rows).toEqual([]);
    await expect(unmerge(amy, 'a')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
