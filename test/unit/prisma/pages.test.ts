import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { BadInputError } from '../../../src/domain/errors.js';
import { type CardOrder, NEWEST_FIRST } from '../../../src/domain/ports/cards.js';
import type { CardFilter } from '../../../src/domain/search.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { anyText } from '../../support/generators.js';
import { admin, type Fixture, newCard, newTenant, openFixture, student } from './fixture.js';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

/** Cards of which several were created in the same millisecond. */
async function notebook(size: number): Promise<Viewer> {
  const viewer = admin(newTenant());
  for (let index = 0; index < size; index++) await fixture.cards.create(viewer, newCard({ id: `c${index}` }));
  await fixture.database.execute(Prisma.sql`
    UPDATE card SET created_at = timestamptz '2025-05-01 00:00:00.123Z' + (substr(id, 2)::int / 4) * interval '1 millisecond'
    WHERE tenant_id = ${viewer.tenantId}`);
  return viewer;
}

async function walk(
  viewer: Viewer,
  first: number,
  between: (page: number) => Promise<unknown>,
  order: CardOrder = NEWEST_FIRST,
): Promise<string[]> {
  const ids: string[] = [];
  let after: string | null = null;
  for (let page = 0; ; page++) {
    const { edges, hasNextPage } = await fixture.cards.page(viewer, {}, { first, after, order });
    ids.push(...edges.map((edge) => edge.node.id));
    after = edges.at(-1)?.cursor ?? after;
    if (!hasNextPage) return ids;
    await between(page);
  }
}

describe('pages', () => {
  test('any page size gives every card once, newest first, even if many have the same millisecond', async () => {
    const viewer = await notebook(30);
    const whole = await walk(viewer, 100, async () => undefined);
    expect(new Set(whole).size).toBe(30);
    for (const first of [1, 3, 7, 29, 30]) expect(await walk(viewer, first, async () => undefined)).toEqual(whole);
  });

  test('cards that are added or deleted meanwhile do not shift a cursor', async () => {
    const viewer = await notebook(12);
    const before = await walk(viewer, 100, async () => undefined);
    const walked = await walk(viewer, 3, async (page) => {
      await fixture.cards.create(viewer, newCard());
      // The card that the next cursor names is itself deleted.
      await fixture.cards.delete(viewer, before[3 * page + 2] as string);
    });
    expect(walked).toEqual(before);
  });

  test('a cursor is valid for an equal filter in any order of keys and values', async () => {
    const viewer = await notebook(6);
    const one: CardFilter = { grade: ['G6', 'G7'], difficultyMax: 5 };
    const same: CardFilter = { difficultyMax: 5, grade: ['G7', 'G6', 'G7'] };
    const { edges } = await fixture.cards.page(viewer, one, { first: 2, after: null });
    const next = await fixture.cards.page(viewer, same, { first: 10, after: edges.at(-1)?.cursor ?? '' });
    expect(next.edges).toHaveLength(4);
    expect(next.totalCount).toBe(6);
  });

  const orders = (['CREATED', 'UPDATED', 'OCCURRED', 'DIFFICULTY'] as const).flatMap((field) =>
    (['ASC', 'DESC'] as const).map((direction) => ({ field, direction })),
  );

  test('any order gives every card once, by its values and then by ids', async () => {
    const viewer = await notebook(10);
    await fixture.database.execute(Prisma.sql`
      UPDATE card SET difficulty = 1 + substr(id, 2)::int % 3, updated_at = created_at - substr(id, 2)::int / 3 * interval '1 day',
        occurred_at = timestamptz '1969-12-31 12:00:00.001Z' + substr(id, 2)::int % 4 * interval '10 hours'
      WHERE tenant_id = ${viewer.tenantId}`);
    const { edges } = await fixture.cards.page(viewer, {}, { first: 100, after: null });
    const cards = edges.map(({ node }) => node);
    for (const order of orders) {
      const keys = {
        CREATED: 'createdAt',
        UPDATED: 'updatedAt',
        OCCURRED: 'occurredAt',
        DIFFICULTY: 'difficulty',
      } as const;
      const key = keys[order.field];
      const sign = order.direction === 'ASC' ? 1 : -1;
      const expected = cards
        .toSorted((a, b) => sign * (Number(a[key]) - Number(b[key]) || (a.id < b.id ? -1 : 1)))
        .map(({ id }) => id);
      expect(await walk(viewer, 3, async () => undefined, order)).toEqual(expected);
    }
  });

  test('cards that were changed at a time or later are listed and counted alone', async () => {
    const viewer = await notebook(3);
    await fixture.database.execute(Prisma.sql`
      UPDATE card SET updated_at = timestamptz '2025-06-01 00:00:00Z' + substr(id, 2)::int * interval '1 millisecond'
      WHERE tenant_id = ${viewer.tenantId}`);
    const updatedAfter = new Date('2025-06-01T00:00:00.001Z');
    const page = await fixture.cards.page(viewer, {}, { first: 1, after: null, updatedAfter });
    expect([page.totalCount, page.edges.map(({ node }) => node.id)]).toEqual([2, ['c2']]);
    const next = await fixture.cards.page(viewer, {}, { first: 5, after: page.edges[0]?.cursor ?? '', updatedAfter });
    expect(next.edges.map(({ node }) => node.id)).toEqual(['c1']);
  });

  test('a cursor of another filter, order or viewer is refused', async () => {
    const viewer = await notebook(3);
    const { edges } = await fixture.cards.page(viewer, {}, { first: 1, after: null });
    const after = edges[0]?.cursor ?? '';
    const others: [Viewer, CardFilter][] = [
      [viewer, { difficultyMin: 1 }],
      [viewer, { grade: ['G6'] }],
      [viewer, { occurredAfter: new Date(0) }],
      [admin(newTenant()), {}],
      [student(viewer.tenantId, 'amy'), {}],
    ];
    const lists = [{ order: { field: 'UPDATED', direction: 'DESC' } as const }, { updatedAfter: new Date(0) }];
    for (const list of lists) {
      const refused = fixture.cards.page(viewer, {}, { first: 1, after, ...list });
      await expect(refused).rejects.toThrow(
        new BadInputError('after', 'is a cursor of another filter, order or viewer'),
      );
    }
    for (const [other, filter] of others) {
      const refused = fixture.cards.page(other, filter, { first: 1, after });
      await expect(refused).rejects.toThrow(
        new BadInputError('after', 'is a cursor of another filter, order or viewer'),
      );
    }
  });

  test('anything that is not a cursor is refused', async () => {
    const viewer = await notebook(2);
    const { edges } = await fixture.cards.page(viewer, {}, { first: 1, after: null });
    const good = edges[0]?.cursor ?? '';
    const text = Buffer.from(good, 'base64url').toString();
    const forged = (change: string): string => Buffer.from(change).toString('base64url');
    const bad = [
      '',
      ' ',
      good.slice(1),
      `${good} `,
      `${good}=`,
      `\n${good}`,
      forged(text.replace(/\d+/, '9999999999999999')),
      forged(text.replace(/\d+/, '-9999999999999')),
      forged(text.replace(/\d+/, '--1')),
      forged(text.replace('"c1"', '"\'"')),
    ];
    const refused = async (after: string): Promise<void> => {
      await expect(fixture.cards.page(viewer, {}, { first: 1, after })).rejects.toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'after',
      });
    };
    for (const after of bad) await refused(after);
    await fc.assert(fc.asyncProperty(anyText(), refused), { numRuns: 50 });
  });
});
