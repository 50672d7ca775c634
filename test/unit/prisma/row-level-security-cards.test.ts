import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_COUNTS } from '../../../src/domain/import.js';
import { NO_MAPPING } from '../../../src/domain/parse/import.js';
import type { Folded } from '../../../src/domain/ports/imports.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { mergeDrafts, withoutMerged } from '../../../src/exchange/import/merge.js';
import type { Fixture } from './fixture.js';
import { leaksOf, PROTECTED, TABLES, UNPROTECTED, under } from './viewer-mechanisms.js';

const { Prisma } = await import('../../../prisma/generated/client.js');
const { openFixture, newCard, newTenant, admin, student, indexEverything } = await import('./fixture.js');
const { PostgresImportJobStore } = await import('../../../prisma/import/import-jobs.js');
const { PostgresImportStore } = await import('../../../prisma/import/import-store.js');
const { PostgresFileStore } = await import('../../../prisma/cards/uploaded-files.js');
const { PostgresSyncFeed } = await import('../../../prisma/cards/sync-feed.js');

let fixture: Fixture;
let generation: number;
let importId: string;
const tenant = newTenant();
const amy = student(tenant, 'amy');
/** In amy's school, and in another one where everybody has the same names. */
const outsiders: readonly (readonly [string, Viewer])[] = [
  ['another student', student(tenant, 'ben')],
  ['a student of the same name in another school', student(newTenant(), 'amy')],
  ['an admin of another school', admin(newTenant())],
];

beforeAll(async () => {
  fixture = await openFixture({ beside: true });
  await makeCards();
  await new PostgresFileStore(fixture.database, 2 ** 30).keep(amy, FILE);
  generation = (await fixture.ledger.startGeneration(tenant, 'model')).generation.number;
  await indexEverything(fixture, [generation]);
  importId = await newImport();
  const bad = { failed: true, sheet: null, row: 1, column: null, reason: 'bad', content: null };
  const one: Folded = {
    drafts: [],
    files: [],
    counts: { ...NO_COUNTS, read: 1, failed: 1 },
    problems: [bad],
    rows: [ROW],
  };
  await importStore().fold(amy, WANTED, () => one, { step: { jobId: importId, read: 0 }, dryRun: false });
});
afterAll(() => fixture.close());

const importStore = () => new PostgresImportStore(fixture.database, fixture.dirty, 2 ** 30);
const imports = () => new PostgresImportJobStore(fixture.database);

/** Look-ups that find amy's card. */
const WANTED = {
  ids: ['amys'],
  keys: [],
  bands: [],
  origins: [],
  labels: { topicTags: [], errorTypes: [] },
  files: [],
  heldBytes: 0,
};
const FILE = { sha256: 'f'.repeat(64), contentType: 'image/png', content: Buffer.from('a file of amy') } as const;
const ROW = { outcome: 'failed', cardId: null } as const;
const NOTHING: Folded = { drafts: [], files: [], counts: NO_COUNTS, problems: [], rows: [] };

/** Creates amy's two cards, of the same question, where they are missing. */
async function makeCards(): Promise<void> {
  const there = await fixture.ledger.cards(tenant, ['amys', 'amys-duplicate']);
  for (const id of ['amys', 'amys-duplicate']) {
    if (!there.has(id)) await fixture.cards.create(amy, newCard({ id }));
  }
  await fixture.database.execute(Prisma.sql`
    UPDATE card_occurrence SET merged_id = 'merged' WHERE tenant_id = ${tenant} AND card_id = 'amys'`);
}

/** Deletes the cards of a merge, and what the sync feed says of them. */
async function forgetMerged(): Promise<void> {
  for (const id of ['gone', 'kept']) await fixture.cards.delete(amy, id);
  await fixture.database.execute(Prisma.sql`DELETE FROM card_change WHERE card_id IN ('gone', 'kept')`);
}

/** Never aborts. */
const NEVER = new AbortController().signal;

/** A running import of amy's. */
async function newImport(): Promise<string> {
  const options = { onDuplicate: 'MERGE', dryRun: false, mapping: NO_MAPPING } as const;
  const started = { id: randomUUID(), key: randomUUID(), body: null, name: 'rows', format: 'rows', options } as const;
  const { job } = await imports().begin(amy, started);
  await imports().checked(amy, job.id, 1, []);
  return job.id;
}

/** Every operation by which a viewer could see or change amy's cards and imports; the names of those that did. */
async function leaks(viewer: Viewer): Promise<readonly string[]> {
  const { cards, filters, ledger, database } = fixture;
  const page = { first: 10, after: null };
  const changes = (change: Promise<unknown>): Promise<boolean> => change.then(() => true).finally(makeCards);
  const stored = async (id: string) =>
    (
      await database.query<{ state: string; read: number }>(Prisma.sql`
      SELECT state, read FROM import_job WHERE id = ${id}::uuid`)
    )[0];
  return leaksOf({
    byIds: async () => (await cards.byIds(viewer, ['amys'])).size > 0,
    page: async () => (await cards.page(viewer, {}, page)).totalCount > 0,
    mergedInto: async () => (await cards.mergedInto(viewer, ['merged'])).size > 0,
    changes: async () => (await new PostgresSyncFeed(database).changes(viewer, page)).edges.length > 0,
    facets: async () => (await cards.facets(viewer, {})).total > 0,
    matching: async () => (await filters.matching(viewer, {}, generation, ['amys'], NEVER)).size > 0,
    states: async () => (await ledger.states(viewer, ['amys'])).size > 0,
    counts: async () => (await ledger.counts(viewer)).cards > 0,
    update: () => changes(cards.update(viewer, 'amys', { notes: 'seen' }, null)),
    delete: async () => (await cards.delete(viewer, 'amys').finally(makeCards)) === true,
    cardsAfter: async () => (await importStore().cardsAfter(viewer, {}, null, 10)).length > 0,
    occurrences: async () => (await importStore().occurrences(viewer, ['amys'])).size > 0,
    duplicateCandidates: async () => (await importStore().duplicateCandidates(viewer, {}, NEVER)).length > 0,
    compared: async () => (await importStore().compared(viewer, ['amys'])).length > 0,
    merge: () =>
      changes(
        importStore()
          .merge(viewer, { into: 'amys-duplicate', from: 'amys' }, mergeDrafts)
          .finally(() => cards.delete(amy, 'amys-duplicate')),
      ),
    unmerge: async () => {
      for (const id of ['kept', 'gone']) await cards.create(amy, newCard({ id }));
      await importStore().merge(amy, { into: 'kept', from: 'gone' }, mergeDrafts);
      return importStore()
        .unmerge(viewer, { id: 'gone', expectedRevision: null }, withoutMerged)
        .then(() => true)
        .finally(forgetMerged);
    },
    file: async () => (await new PostgresFileStore(database, 2 ** 30).read(viewer, FILE.sha256)) !== null,
    fold: async () => {
      let seen = 0;
      const look = ({ cards: found }: { readonly cards: readonly unknown[] }): Folded => {
        seen = found.length;
        return NOTHING;
      };
      await importStore().fold(viewer, WANTED, look, { step: null, dryRun: false });
      return seen > 0;
    },
    step: async () => {
      const jobId = await newImport();
      const counts = { ...NO_COUNTS, read: 1, failed: 1 };
      const step = { step: { jobId, read: 0 }, dryRun: false };
      await importStore().fold(viewer, WANTED, () => ({ ...NOTHING, counts }), step);
      return (await stored(jobId))?.read !== 0;
    },
    importJob: () =>
      imports()
        .job(viewer, importId)
        .then(() => true),
    importProblems: async () => (await imports().problems(viewer, importId, 10, 0)).length > 0,
    importRows: async () => (await imports().rows(viewer, importId)) !== null,
    importEnd: async () => {
      const id = await newImport();
      await imports().finish(viewer, id, 'FAILED', 'seen');
      return (await stored(id))?.state !== 'RUNNING';
    },
    importCancel: async () => {
      const id = await newImport();
      await imports()
        .cancel(viewer, id)
        .catch(() => undefined);
      return (await stored(id))?.state !== 'RUNNING';
    },
  });
}

describe.each(outsiders)('%s', (_who, viewer) => {
  test.each(PROTECTED)('sees and changes nothing under %s', async (_which, mechanisms) => {
    expect(await under(fixture.database, mechanisms, () => leaks(viewer))).toEqual([]);
  });
});

test('without either mechanism, the probes see the cards and imports', async () => {
  const seen = await under(fixture.database, UNPROTECTED, () => leaks(student(tenant, 'ben')));
  // Whether a viewer may change a card is also checked on the card itself.
  expect(seen).toEqual([
    'byIds',
    'page',
    'mergedInto',
    'changes',
    'facets',
    'matching',
    'states',
    'counts',
    'update',
    'delete',
    'cardsAfter',
    'occurrences',
    'duplicateCandidates',
    'compared',
    'merge',
    'unmerge',
    'file',
    'fold',
    'step',
    'importJob',
    'importProblems',
    'importRows',
    'importEnd',
    'importCancel',
  ]);
});

describe('a statement without a condition', () => {
  const all = (table: string) => Prisma.raw(`SELECT count(*)::int AS count FROM "${table}"`);
  const count = async (viewer: Viewer, table: string): Promise<number | undefined> =>
    (await fixture.database.as(viewer).query<{ count: number }>(all(table)))[0]?.count;

  test.each(TABLES)("finds nothing of another tenant's in %s", async (table) => {
    const [stranger] = outsiders.slice(2).map(([, viewer]) => viewer);
    expect(await count(stranger as Viewer, table)).toBe(0);
  });

  test.each(['card', 'card_occurrence', 'card_change'])(
    "finds nothing of another student's in %s, and all of the own",
    async (table) => {
      expect(await count(student(tenant, 'ben'), table)).toBe(0);
      expect(await count(amy, table)).toBe(2);
      expect(await count({ ...admin(tenant), role: 'teacher' }, table)).toBe(2);
    },
  );

  test.each([
    ['UPDATE card SET notes = $$x$$', 'ben', 'student', 0],
    ['UPDATE card SET notes = $$x$$', 'tess', 'teacher', 0],
    ['UPDATE card SET notes = $$x$$', 'amy', 'student', 2],
    ['UPDATE card SET notes = $$x$$', 'ada', 'admin', 2],
    ['UPDATE card_occurrence SET wrong_solution = $$x$$', 'ben', 'student', 0],
    ['UPDATE card_occurrence SET wrong_solution = $$x$$', 'tess', 'teacher', 0],
    ['DELETE FROM card_topic_tag', 'ben', 'student', 0],
    ['DELETE FROM card_error_type', 'tess', 'teacher', 0],
    ['DELETE FROM card', 'tess', 'teacher', 0],
    ['UPDATE import_job SET name = $$x$$', 'ben', 'student', 0],
    ['UPDATE import_job SET state = $$CANCELLED$$, finished_at = now()', 'tess', 'teacher', 0],
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

  test("run for an admin changes another owner's import only by cancelling it", async () => {
    const id = await newImport();
    const change = (what: string): Promise<number> =>
      fixture.database
        .as(admin(tenant))
        .transaction((tx) => tx.execute(Prisma.raw(`UPDATE import_job SET ${what} WHERE id = '${id}'`)));
    await expect(change('name = $$x$$')).rejects.toThrow(/row-level security/);
    await expect(change("state = 'DONE', finished_at = now()")).rejects.toThrow(/row-level security/);
    expect(await change("state = 'CANCELLED', finished_at = now()")).toBe(1);
    expect(await change('name = $$x$$')).toBe(0);
  });

  test.each(['api_key', 'installation', '_prisma_migrations'])('may not read %s at all', async (table) => {
    await expect(count(admin(tenant), table)).rejects.toThrow(/permission denied/);
  });
});

test('every table with a tenant has its policy, or viewers have no privilege on it', async () => {
  const open = await fixture.database.query<{ name: string }>(Prisma.sql`
    SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND NOT c.relrowsecurity
      AND has_table_privilege('errata_viewer', c.oid, 'SELECT, INSERT, UPDATE, DELETE')`);
  expect(open).toEqual([]);
});
