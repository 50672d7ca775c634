/**
 * Two walls stand between viewers: the condition that every statement has, and the policies of the tables. Each is taken down
 * here, and the other holds; with both down the same probes see everything, so they would tell.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import * as realVisible from '../../prisma/visible.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { questionJudge } from '../../src/duplicates/judge.js';
import { NotFoundError } from '../../src/errors.js';
import { testServer } from '../support/database.js';
import type { Fixture } from './fixture.js';

/** The first wall, and whether it stands. */
let firstWall = true;
const { visible } = realVisible;
jest.unstable_mockModule('../../prisma/visible.js', () => ({
  visible: (viewer: Viewer) => (firstWall ? visible(viewer) : Prisma.sql`TRUE`),
}));
const { Prisma } = await import('../../prisma/generated/client.js');
const { openFixture, newCard, newTenant, admin, student, indexEverything } = await import('./fixture.js');
const { PostgresCardStore } = await import('../../prisma/cards.js');
const { openDatabase } = await import('../../prisma/client.js');
const { DirtySignal } = await import('../../prisma/dirty.js');
const { migrate } = await import('../../prisma/migrate.js');
const { refuseOpenTables } = await import('../../prisma/viewer-role.js');

const TABLES = [
  'card',
  'card_topic_tag',
  'card_error_type',
  'card_occurrence',
  'topic_tag',
  'error_type',
  'index_dirty',
  'index_generation',
  'card_index',
  'idempotency_key',
];

let fixture: Fixture;
let generation: number;
const tenant = newTenant();
const amy = student(tenant, 'amy');
/** In amy's school, and in another one where everybody has the same names. */
const outsiders: readonly (readonly [string, Viewer])[] = [
  ['another student', student(tenant, 'ben')],
  ['a student of the same name in another school', student(newTenant(), 'amy')],
  ['an admin of another school', admin(newTenant())],
];

beforeAll(async () => {
  fixture = await openFixture();
  await fixture.cards.create(amy, newCard({ id: 'amys' }));
  generation = (await fixture.ledger.startGeneration(tenant, 'model')).number;
  await indexEverything(fixture, [generation]);
});
afterAll(() => fixture.close());

/** Puts the second wall up, or takes it down. */
async function secondWall(stands: boolean): Promise<void> {
  for (const table of TABLES) {
    await fixture.database.execute(
      Prisma.raw(`ALTER TABLE "${table}" ${stands ? 'ENABLE' : 'DISABLE'} ROW LEVEL SECURITY`),
    );
  }
}

/** A request that goes on. */
const NEVER = new AbortController().signal;

/** Everything by which a viewer could come to know of amy's card or change it; the name of each that did. */
async function leaks(viewer: Viewer): Promise<readonly string[]> {
  const { cards, filters, ledger } = fixture;
  const absent = (thrown: unknown): false => {
    if (thrown instanceof NotFoundError) return false;
    throw thrown;
  };
  const probes: Readonly<Record<string, () => Promise<boolean>>> = {
    byIds: async () => (await cards.byIds(viewer, ['amys'])).size > 0,
    page: async () => (await cards.page(viewer, {}, { first: 10, after: null })).totalCount > 0,
    facets: async () => (await cards.facets(viewer, {})).total > 0,
    versions: async () => (await cards.versions(viewer)).size > 0,
    matching: async () => (await filters.matching(viewer, {}, generation, 10, NEVER)).matched > 0,
    admit: async () => (await filters.admit(viewer, {}, generation, ['amys'], NEVER)).size > 0,
    states: async () => (await ledger.states(viewer, ['amys'])).size > 0,
    counts: async () => (await ledger.counts(viewer)).cards > 0,
    update: () => cards.update(viewer, 'amys', { notes: 'seen' }, null).then(() => true, absent),
    delete: () => cards.delete(viewer, 'amys'),
  };
  const told: string[] = [];
  for (const [name, probe] of Object.entries(probes)) {
    if (await tells(probe)) told.push(name);
  }
  return told;
}

/** Whether a probe saw the card or changed it; a card that it has deleted is made again. */
async function tells(probe: () => Promise<boolean>): Promise<boolean> {
  const told = await probe().catch((thrown: unknown) => {
    // Who is told that a card is somebody else's has learned that there is one.
    if (thrown instanceof Error && thrown.name === 'ForbiddenError') return true;
    throw thrown;
  });
  const there = await fixture.ledger.cards(tenant, ['amys']);
  if (there.size === 0) await fixture.cards.create(amy, newCard({ id: 'amys' }));
  return told;
}

describe.each(outsiders)('%s', (_who, viewer) => {
  test.each([
    ['both walls', true, true],
    ['the second wall alone', false, true],
    ['the first wall alone', true, false],
  ])('sees and changes nothing behind %s', async (_which, first, second) => {
    await secondWall(second);
    firstWall = first;
    try {
      expect(await leaks(viewer)).toEqual([]);
    } finally {
      firstWall = true;
      await secondWall(true);
    }
  });
});

test('with both walls down, the probes see the card', async () => {
  await secondWall(false);
  firstWall = false;
  try {
    // In another tenant the index and the labels are looked up by the tenant's name all the same.
    const told = await leaks(student(tenant, 'ben'));
    expect(told).toEqual(
      expect.arrayContaining([
        'byIds',
        'page',
        'facets',
        'versions',
        'matching',
        'states',
        'counts',
        'update',
        'delete',
      ]),
    );
  } finally {
    firstWall = true;
    await secondWall(true);
  }
});

describe('a statement that names nobody', () => {
  const all = (table: string) => Prisma.raw(`SELECT count(*)::int AS count FROM "${table}"`);
  const count = async (viewer: Viewer, table: string): Promise<number | undefined> =>
    (await fixture.database.as(viewer).query<{ count: number }>(all(table)))[0]?.count;

  test.each(TABLES)("finds nothing of another tenant's in %s", async (table) => {
    const [stranger] = outsiders.slice(2).map(([, viewer]) => viewer);
    expect(await count(stranger as Viewer, table)).toBe(0);
  });

  test.each(['card', 'card_occurrence'])(
    "finds nothing of another student's in %s, and all of the own",
    async (table) => {
      expect(await count(student(tenant, 'ben'), table)).toBe(0);
      expect(await count(amy, table)).toBe(1);
      expect(await count({ ...admin(tenant), role: 'teacher' }, table)).toBe(1);
    },
  );

  test.each([
    ['UPDATE card SET notes = $$x$$', 'ben', 'student', 0],
    ['UPDATE card SET notes = $$x$$', 'tess', 'teacher', 0],
    ['UPDATE card SET notes = $$x$$', 'amy', 'student', 1],
    ['UPDATE card SET notes = $$x$$', 'ada', 'admin', 1],
    ['UPDATE card_occurrence SET wrong_solution = $$x$$', 'ben', 'student', 0],
    ['UPDATE card_occurrence SET wrong_solution = $$x$$', 'tess', 'teacher', 0],
    ['DELETE FROM card_topic_tag', 'ben', 'student', 0],
    ['DELETE FROM card_error_type', 'tess', 'teacher', 0],
    ['DELETE FROM card', 'tess', 'teacher', 0],
  ] as const)('%s, run for %s, a %s, changes %d rows', async (sql, ownerId, role, rows) => {
    const viewer: Viewer = { tenantId: tenant, ownerId, role };
    const changed = await fixture.database.as(viewer).transaction((tx) => tx.execute(Prisma.raw(sql)));
    expect(changed).toBe(rows);
  });

  test.each(['UPDATE card SET owner_id = $$ben$$', 'UPDATE card SET tenant_id = $$south$$'])(
    'cannot give a card away: %s',
    async (sql) => {
      await expect(fixture.database.as(amy).transaction((tx) => tx.execute(Prisma.raw(sql)))).rejects.toThrow(
        /row-level security|foreign key/,
      );
    },
  );

  test.each(['api_key', 'installation', '_prisma_migrations'])('may not read %s at all', async (table) => {
    await expect(count(admin(tenant), table)).rejects.toThrow(/permission denied/);
  });
});

test('every table with a tenant has its policy, or is closed to viewers', async () => {
  const open = await fixture.database.query<{ name: string }>(Prisma.sql`
    SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND NOT c.relrowsecurity
      AND has_table_privilege('errata_viewer', c.oid, 'SELECT, INSERT, UPDATE, DELETE')`);
  expect(open).toEqual([]);
});

describe('a user of the database that is nobody special', () => {
  const name = `plain_${randomBytes(4).toString('hex')}`;
  const url = new URL(testServer());
  Object.assign(url, { username: name, password: 'plain' });
  url.searchParams.set('schema', name);
  const asOwner = (sql: string) => fixture.database.execute(Prisma.raw(sql));

  beforeAll(async () => {
    await asOwner(`CREATE ROLE ${name} LOGIN PASSWORD 'plain'`);
    // Who may make roles may not act as each of them: the schema stays the maker's own.
    await asOwner(`CREATE SCHEMA ${name}`);
    await asOwner(`GRANT ALL ON SCHEMA ${name} TO ${name} WITH GRANT OPTION`);
  });
  afterAll(async () => {
    await asOwner(`DROP SCHEMA ${name} CASCADE`);
    await asOwner(`DROP ROLE ${name}`);
  });

  test('is told what it lacks, and is held like any other once it has it', async () => {
    await expect(migrate(url.href)).rejects.toThrow(/20250915000000_viewer_role cannot be applied: .*errata_viewer/);
    await asOwner(`GRANT errata_viewer TO ${name}`);
    await migrate(url.href);
    const database = await openDatabase(url.href);
    try {
      await refuseOpenTables(database);
      const cards = new PostgresCardStore(database, new DirtySignal(), questionJudge);
      await cards.create(amy, newCard({ id: 'amys' }));
      firstWall = false;
      expect((await cards.byIds(student(tenant, 'ben'), ['amys'])).size).toBe(0);
      expect((await cards.byIds(amy, ['amys'])).size).toBe(1);
      await asOwner(`REVOKE errata_viewer FROM ${name}`);
      await expect(refuseOpenTables(database)).rejects.toThrow(/may not act as the role errata_viewer: GRANT/);
    } finally {
      firstWall = true;
      await database.close();
    }
  });
});

describe('a gateway does not start', () => {
  test('where the policies do not hold', async () => {
    await refuseOpenTables(fixture.database);
    await secondWall(false);
    await expect(refuseOpenTables(fixture.database)).rejects.toThrow('lets the role errata_viewer see every card');
    await secondWall(true);
  });
});
