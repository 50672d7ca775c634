import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { ConflictError } from '../../../src/domain/errors.js';
import { PRIORITY } from '../../../src/domain/ports/outbox.js';
import { admin, dirtyRows, type Fixture, newCard, newTenant, openFixture } from './fixture.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

describe('updating', () => {
  test('a change raises the revision by one, keeps what it does not name, and clears what it sets to null', async () => {
    const viewer = admin(newTenant());
    const created = await fixture.cards.create(viewer, newCard({ id: 'u', notes: 'look again' }));
    const updated = await fixture.cards.update(viewer, 'u', { subject: 'physics', notes: null, topicTags: ['力'] }, 1);
    expect(updated).toEqual({
      ...created,
      subject: 'physics',
      notes: null,
      topicTags: ['力'],
      revision: 2,
      updatedAt: updated.updatedAt,
    });
    expect(updated.updatedAt.getTime()).toBeGreaterThanOrEqual(created.updatedAt.getTime());
    expect((await fixture.cards.byIds(viewer, ['u'])).get('u')).toEqual(updated);
    expect((await dirtyRows(fixture, viewer.tenantId)).get('u')).toMatchObject({ seq: 2n, priority: PRIORITY.change });
  });

  test('a change that changes nothing keeps the revision and makes nothing dirty', async () => {
    const viewer = admin(newTenant());
    const { id, ...content } = newCard({ id: 'same' });
    const created = await fixture.cards.create(viewer, { id, ...content });
    expect(await fixture.cards.update(viewer, 'same', content, 1)).toEqual(created);
    expect((await dirtyRows(fixture, viewer.tenantId)).get('same')?.seq).toBe(1n);
  });

  test('labels can be reordered', async () => {
    const viewer = admin(newTenant());
    await fixture.cards.create(viewer, newCard({ id: 'order', topicTags: ['a', 'b', 'c'] }));
    await fixture.cards.update(viewer, 'order', { topicTags: ['c', 'a', 'd', 'b'] }, null);
    const card = (await fixture.cards.byIds(viewer, ['order'])).get('order');
    expect(card?.topicTags).toEqual(['c', 'a', 'd', 'b']);
    expect(card?.revision).toBe(2);
  });

  test('a renamed label has its new name on every card', async () => {
    const viewer = admin(newTenant());
    await fixture.cards.create(viewer, newCard({ id: 'one', topicTags: ['old', 'other'] }));
    await fixture.cards.create(viewer, newCard({ id: 'two', topicTags: ['other', 'old'] }));
    await fixture.database.execute(
      Prisma.sql`UPDATE topic_tag SET name = 'new' WHERE tenant_id = ${viewer.tenantId} AND name = 'old'`,
    );
    const cards = await fixture.cards.byIds(viewer, ['one', 'two']);
    expect(cards.get('one')?.topicTags).toEqual(['new', 'other']);
    expect(cards.get('two')?.topicTags).toEqual(['other', 'new']);
  });

  test('a correction of the card corrects its latest occurrence', async () => {
    const viewer = admin(newTenant());
    await fixture.cards.create(viewer, newCard({ id: 'occ' }));
    const occurredAt = new Date('2024-12-31T23:59:59.999Z');
    await fixture.cards.update(viewer, 'occ', { occurredAt, errorTypes: ['审题不清'] }, null);
    const rows = await fixture.database.query(Prisma.sql`
      SELECT number, occurred_at, wrong_solution, error_types FROM card_occurrence
      WHERE tenant_id = ${viewer.tenantId}`);
    expect(rows).toEqual([
      { number: 1, occurred_at: occurredAt, wrong_solution: '6 × 4 = 24', error_types: ['审题不清'] },
    ]);
  });

  test('a stale expectedRevision is a conflict and changes nothing', async () => {
    const viewer = admin(newTenant());
    await fixture.cards.create(viewer, newCard({ id: 's' }));
    const updated = await fixture.cards.update(viewer, 's', { difficulty: 1 }, 1);
    await expect(fixture.cards.update(viewer, 's', { difficulty: 5 }, 1)).rejects.toThrow(ConflictError);
    expect((await fixture.cards.byIds(viewer, ['s'])).get('s')).toEqual(updated);
  });

  test('of simultaneous updates with the same expectedRevision exactly one succeeds', async () => {
    const viewer = admin(newTenant());
    await fixture.cards.create(viewer, newCard({ id: 'race' }));
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => fixture.cards.update(viewer, 'race', { notes: `note ${index}` }, 1)),
    );
    const lost = results.filter((result) => result.status === 'rejected');
    expect(lost).toHaveLength(7);
    for (const { reason } of lost) expect(reason).toBeInstanceOf(ConflictError);
    expect((await fixture.cards.byIds(viewer, ['race'])).get('race')?.revision).toBe(2);
  });

  test('simultaneous updates without expectedRevision are all made, each with a revision of its own', async () => {
    const viewer = admin(newTenant());
    await fixture.cards.create(viewer, newCard({ id: 'many' }));
    const updated = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        fixture.cards.update(viewer, 'many', { notes: `note ${index}`, topicTags: [`t${index}`, 'all'] }, null),
      ),
    );
    expect(updated.map((card) => card.revision).sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    const last = updated.find((card) => card.revision === 11);
    expect((await fixture.cards.byIds(viewer, ['many'])).get('many')).toEqual(last);
    expect((await dirtyRows(fixture, viewer.tenantId)).get('many')?.seq).toBe(11n);
  });
});
