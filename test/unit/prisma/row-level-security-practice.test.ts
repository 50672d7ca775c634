import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_PRACTICE_SETTINGS } from '../../../src/domain/practice.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import type { Fixture } from './fixture.js';
import { leaksOf, PROTECTED, UNPROTECTED, under } from './viewer-mechanisms.js';

const { Prisma } = await import('../../../prisma/generated/client.js');
const { openFixture, newCard, newTenant, admin, student } = await import('./fixture.js');
const { reviewsOf } = await import('./practice-world.js');
const { PostgresAttemptStore } = await import('../../../prisma/practice/attempts.js');
const { PostgresPracticeSettings } = await import('../../../prisma/practice/practice-settings.js');
const { PostgresFittedSchedules } = await import('../../../prisma/practice/fitted-schedules.js');
const { PostgresOverviewStore } = await import('../../../prisma/practice/overviews.js');
const { PostgresReviewStore } = await import('../../../prisma/practice/reviews.js');

const tenant = newTenant();
const amy = student(tenant, 'amy');
const tess: Viewer = { tenantId: tenant, ownerId: 'tess', role: 'teacher' };
/** In amy's school, and in another one where everybody has the same names. */
const outsiders: readonly (readonly [string, Viewer])[] = [
  ['another student', student(tenant, 'ben')],
  ['a student of the same name in another school', student(newTenant(), 'amy')],
  ['an admin of another school', admin(newTenant())],
];

let fixture: Fixture;
const attempts = () => new PostgresAttemptStore(fixture.database, fixture.dirty);
const reviews = () => new PostgresReviewStore(fixture.database);
const overviews = () => new PostgresOverviewStore(fixture.database);
const fits = () => new PostgresFittedSchedules(fixture.database);
const settings = () => new PostgresPracticeSettings(fixture.database);

const AT = new Date('2026-03-01T08:00:00Z');
const LATER = new Date('2027-03-01T08:00:00Z');
const ATTEMPT = {
  key: 'k1',
  cardId: 'amys',
  reviewOf: null,
  at: AT,
  correct: true,
  hints: 0,
  durationMs: null,
  changedAnswer: false,
  answer: 'zanswerz',
  ownerId: null,
  isDated: true,
  recordOccurrence: false,
};
const RANGE = { limit: 10 };
const DUE = { filter: {}, at: LATER, dueBefore: LATER, maxCards: 10, practisedSince: LATER, maxNew: 10 };

beforeAll(async () => {
  fixture = await openFixture();
  for (const id of ['amys', 'amys-new']) await fixture.cards.create(amy, newCard({ id }));
  await attempts().record(amy, new Map([['amy', [ATTEMPT]]]));
  await settings().save(amy, DEFAULT_PRACTICE_SETTINGS);
  const figures = { reviews: 400, heldOutReviews: 100, defaultLogLoss: 0.4, logLoss: 0.3 };
  await fits().save(amy, { weights: Array(21).fill(1), isUsed: true, ...figures });
  await overviews().saveGroup(tess, { name: 'ours', owners: ['amy'] });
});
afterAll(() => fixture.close());

/** Every operation by which a viewer could see or change what amy practises; the names of those that did. */
function leaks(viewer: Viewer): Promise<readonly string[]> {
  return leaksOf({
    log: async () => (await attempts().log(viewer, { ownerIds: ['amy'] }, RANGE)).length > 0,
    logAt: async () => (await attempts().log(viewer, { cardIds: ['amys'] }, RANGE)).length > 0,
    rightAnswers: async () => (await attempts().rightAnswers(viewer, ['amy'], {})).length > 0,
    reviews: async () => (await reviewsOf(fixture.database, viewer, 'amy', ['amys'])).size > 0,
    due: async () => (await reviews().due(viewer, { ...DUE, maxNew: 0 })).entries.length > 0,
    fresh: async () => (await reviews().due(viewer, DUE)).entries.some(({ review }) => review === null),
    done: async () => (await reviews().done(viewer, AT, LATER)).cardIds.length > 0,
    forecast: async () => (await reviews().forecast(viewer, [LATER])).some((count) => count > 0),
    settings: async () => (await settings().settings(viewer, ['amy'])).size > 0,
    schedule: async () => (await fits().find(viewer, amy)) !== null,
    weights: async () => (await fits().weights(viewer, ['amy'])).size > 0,
    cards: async () => (await overviews().cards(viewer, { cardIds: ['amys'] }, 10)).length > 0,
    cardsOf: async () => (await overviews().cards(viewer, { ownerIds: ['amy'] }, 10)).length > 0,
    record: async () => {
      const own = new Map([[viewer.ownerId, [{ ...ATTEMPT, key: 'k2' }]]]);
      const [made] = (await attempts().record(viewer, own)).get(viewer.ownerId) ?? [];
      return made?.outcome !== 'CARD_NOT_FOUND' || made.review !== null;
    },
    // Students of the school are kept from groups by the service, and by the policies.
    ...(viewer.tenantId !== tenant && groupProbes(viewer)),
  });
}

function groupProbes(viewer: Viewer): Readonly<Record<string, () => Promise<boolean>>> {
  return {
    groups: async () => (await overviews().groups(viewer)).length > 0,
    group: async () => (await overviews().group(viewer, 'ours')) !== null,
    deleteGroup: async () => {
      const deleted = await overviews().deleteGroup(viewer, 'ours');
      if (deleted) await overviews().saveGroup(tess, { name: 'ours', owners: ['amy'] });
      return deleted;
    },
  };
}

describe.each(outsiders)('%s', (_who, viewer) => {
  test.each(PROTECTED)('sees and changes nothing under %s', async (_which, mechanisms) => {
    expect(await under(fixture.database, mechanisms, () => leaks(viewer))).toEqual([]);
  });
});

test('without either mechanism, the probes see what amy practises', async () => {
  const probe = () => leaks(student(tenant, 'ben'));
  const seen = await under(fixture.database, UNPROTECTED, probe);
  expect(seen).toHaveLength(14);
  const [, , [, stranger]] = outsiders as [unknown, unknown, [string, Viewer]];
  const groups = await under(fixture.database, UNPROTECTED, () => leaksOf(groupProbes(stranger)));
  expect(groups).toEqual(['groups', 'group', 'deleteGroup']);
  for (const table of ['attempt', 'card_review']) {
    await fixture.database.execute(Prisma.raw(`DELETE FROM ${table} WHERE owner_id = 'ben'`));
  }
});

describe('a statement without a condition', () => {
  const count = async (viewer: Viewer, table: string): Promise<number | undefined> => {
    const all = Prisma.raw(`SELECT count(*)::int AS count FROM "${table}"`);
    return (await fixture.database.as(viewer).query<{ count: number }>(all))[0]?.count;
  };

  test.each(['attempt', 'practice_settings', 'fitted_schedule'])(
    "finds nothing of another student's in %s",
    async (table) => {
      expect(await count(student(tenant, 'ben'), table)).toBe(0);
      expect(await count(amy, table)).toBe(1);
      expect(await count({ ...amy, ownerId: 'tess', role: 'teacher' }, table)).toBe(1);
    },
  );

  test("cannot move attempts from or to another student's card", async () => {
    const ben = student(tenant, 'ben');
    await fixture.cards.create(ben, newCard({ id: 'bens' }));
    const move = (viewer: Viewer, sql: string) =>
      fixture.database.as(viewer).transaction((tx) => tx.execute(Prisma.raw(sql)));
    for (const viewer of [ben, { ...amy, ownerId: 'tess', role: 'teacher' as const }]) {
      expect(await move(viewer, "UPDATE attempt SET card_id = 'amys-new'")).toBe(0);
    }
    await expect(move(amy, "UPDATE attempt SET card_id = 'bens'")).rejects.toThrow(/row-level security/);
  });

  test.each(['UPDATE attempt SET correct = false', 'DELETE FROM attempt'])(
    'cannot change the log, whoever runs it: %s',
    async (sql) => {
      for (const viewer of [amy, admin(tenant)]) {
        const run = fixture.database.as(viewer).transaction((tx) => tx.execute(Prisma.raw(sql)));
        await expect(run).rejects.toThrow(/permission denied/);
      }
    },
  );

  test.each([
    [
      'attempt',
      `INSERT INTO attempt (tenant_id, owner_id, key, card_id, at, correct)
      VALUES ('${tenant}', 'amy', 'forged', 'amys', now(), true)`,
    ],
    [
      'attempt',
      `INSERT INTO attempt (tenant_id, owner_id, key, card_id, at, correct)
      VALUES ('${tenant}', 'ben', 'forged', 'amys', now(), true)`,
    ],
    ['student_group', `INSERT INTO student_group (tenant_id, name, owners) VALUES ('${tenant}', 'g', '{amy}')`],
  ])('cannot write to %s as a student what is not theirs', async (_table, sql) => {
    const ben = student(tenant, 'ben');
    const run = fixture.database.as(ben).transaction((tx) => tx.execute(Prisma.raw(sql)));
    await expect(run).rejects.toThrow(/row-level security/);
  });

  test("deletes nothing of another student's review states", async () => {
    const sql = Prisma.raw('DELETE FROM card_review');
    for (const viewer of [student(tenant, 'ben'), { ...amy, ownerId: 'tess', role: 'teacher' as const }]) {
      expect(await fixture.database.as(viewer).transaction((tx) => tx.execute(sql))).toBe(0);
    }
  });
});
