import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Viewer } from '../../../src/domain/viewer.js';
import { BUILTIN_SETTINGS } from '../../../src/search/profile.js';
import type { Fixture } from './fixture.js';
import { leaksOf, PROTECTED, UNPROTECTED, under } from './viewer-mechanisms.js';

const { Prisma } = await import('../../../prisma/generated/client.js');
const { openFixture, newCard, newTenant, admin, student } = await import('./fixture.js');
const { PostgresEvaluationStore } = await import('../../../prisma/evaluation/evaluations.js');
const { PostgresGoldenStore } = await import('../../../prisma/evaluation/golden.js');
const { PostgresLearnedProfileStore } = await import('../../../prisma/evaluation/learned-profiles.js');
const { PostgresProfileStore } = await import('../../../prisma/evaluation/profiles.js');
const { PostgresSearchRecords } = await import('../../../prisma/evaluation/search-records.js');

const tenant = newTenant();
const tess: Viewer = { tenantId: tenant, ownerId: 'tess', role: 'teacher' };
/** Of another school, where everybody has the same names. */
const strangers: readonly (readonly [string, Viewer])[] = [
  ['a teacher of another school', { ...tess, tenantId: newTenant() }],
  ['an admin of another school', admin(newTenant())],
];

let fixture: Fixture;
const golden = () => new PostgresGoldenStore(fixture.database);
const evaluations = () => new PostgresEvaluationStore(fixture.database);
const profiles = () => new PostgresProfileStore(fixture.database, BUILTIN_SETTINGS);
const learned = () => new PostgresLearnedProfileStore(fixture.database, BUILTIN_SETTINGS);
const records = () => new PostgresSearchRecords(fixture.database);

const SET = {
  name: 'ours',
  description: null,
  cases: [
    {
      id: 'one',
      operation: 'byError' as const,
      subject: { kind: 'text' as const, text: 'x' },
      filter: {},
      perspective: null,
      judgements: [],
      reason: null,
    },
  ],
};
const PROFILE = { name: 'ours', description: null, settings: BUILTIN_SETTINGS };
const HIT = { set: 'ours', caseId: 'one', query: query(), cardId: 'c1', relevance: 'RELATED' as const, reason: null };
const LEARNED = { model: 'builtin', labelledCards: 200, operations: [] };
const WINDOW = { after: null, before: null };

function query() {
  return { operation: 'byError' as const, subject: { kind: 'text' as const, text: 'x' }, filter: {} };
}

const newEvaluation = async (): Promise<string> =>
  (await evaluations().begin(tess, { set: 'ours', profile: 'ours', against: null, k: 10, total: 1 })).id;

let evaluation: string;
beforeAll(async () => {
  fixture = await openFixture();
  await golden().save(tess, SET);
  await profiles().save(tess, PROFILE);
  expect(await learned().claim(tenant)).toBe(true);
  await learned().save(tenant, LEARNED);
  evaluation = await newEvaluation();
  await evaluations().finish(tess, evaluation, '{"rankings":[{}]}');
  const record = { operation: 'byError', queryHash: Buffer.alloc(16), queryText: 'ours', filterPlan: 'none' } as const;
  const outcome = { lanes: [], hitIds: [], degraded: [], error: null, tookMs: 1, stages: [] };
  await records().append(tenant, [{ ...record, ...outcome, at: new Date() }]);
});
afterAll(() => fixture.close());

/** Whether the change was made; restores what it changed. */
async function changed(change: Promise<unknown>, restore: () => Promise<unknown>): Promise<boolean> {
  try {
    return (await change) !== false;
  } finally {
    await restore();
  }
}

/**
 * Every operation by which a viewer could see or change how tess's school measures its search; the names of those that
 * did.
 */
function leaks(viewer: Viewer): Promise<readonly string[]> {
  const page = { first: 10, after: null };
  const save = () => golden().save(tess, SET);
  return leaksOf({
    sets: async () => (await golden().sets(viewer, page)).length > 0,
    set: () =>
      golden()
        .set(viewer, 'ours')
        .then(() => true),
    counts: async () => (await golden().counts(viewer, ['ours'])).size > 0,
    cases: async () => (await golden().cases(viewer, ['ours'], page)).get('ours')?.edges.length !== 0,
    deleteSet: () => changed(golden().delete(viewer, 'ours'), save),
    undo: async () => {
      const { judgementId } = await golden().judge(tess, HIT);
      return changed(golden().undo(viewer, judgementId), save);
    },
    jobs: async () => (await evaluations().jobs(viewer, 10)).length > 0,
    job: () =>
      evaluations()
        .job(viewer, evaluation)
        .then(() => true),
    report: async () => (await evaluations().reportJson(viewer, evaluation)) !== null,
    head: async () => (await evaluations().reportHead(viewer, evaluation)) !== null,
    measured: async () => (await evaluations().reportCases(viewer, evaluation, { from: 0, first: 1 })) !== null,
    end: async () => {
      const id = await newEvaluation();
      await evaluations().fail(viewer, id, 'seen');
      const [row] = await fixture.database.query<{ state: string }>(Prisma.sql`
        SELECT state FROM evaluation WHERE id = ${id}::uuid`);
      return row?.state !== 'RUNNING';
    },
    profiles: async () => (await profiles().list(viewer)).length > 0,
    profile: async () => (await profiles().find(viewer, 'ours')) !== null,
    deleteProfile: () => changed(profiles().delete(viewer, 'ours'), () => profiles().save(tess, PROFILE)),
    learned: async () => (await learned().find(viewer)) !== null,
    metrics: async () => (await records().metrics(viewer, WINDOW)).searches > 0,
    zeroResults: async () => (await records().zeroResults(viewer, WINDOW, 10)).length > 0,
  });
}

describe.each(strangers)('%s', (_who, viewer) => {
  test.each(PROTECTED)('sees and changes nothing under %s', async (_which, mechanisms) => {
    expect(await under(fixture.database, mechanisms, () => leaks(viewer))).toEqual([]);
  });

  test('sees something by every probe without either mechanism', async () => {
    const seen = await under(fixture.database, UNPROTECTED, () => leaks(viewer));
    expect(seen).toHaveLength(18);
  });
});

describe('a student of the school, by any statement,', () => {
  const ben = student(tenant, 'ben');

  test.each(['golden_set', 'golden_case', 'evaluation', 'learned_profile'])('finds nothing in %s', async (table) => {
    const all = Prisma.raw(`SELECT count(*)::int AS count FROM "${table}"`);
    const count = async (viewer: Viewer): Promise<number | undefined> =>
      (await fixture.database.as(viewer).query<{ count: number }>(all))[0]?.count;
    expect(await count(ben)).toBe(0);
    expect(await count(tess)).toBeGreaterThan(0);
  });

  test('reads its search profiles and changes none', async () => {
    expect(await profiles().find(ben, 'ours')).toMatchObject({ name: 'ours' });
    expect(await profiles().delete(ben, 'ours')).toBe(false);
    await expect(profiles().save(ben, { ...PROFILE, name: 'bens' })).rejects.toThrow(/row-level security/);
  });

  test('sees nothing of what was learned from the cards of the school, and no viewer writes it', async () => {
    expect(await learned().find(ben)).toBeNull();
    expect(await learned().find(tess)).toMatchObject(LEARNED);
    const write = Prisma.sql`UPDATE learned_profile SET model = 'other'`;
    for (const viewer of [ben, tess, admin(tenant)])
      await expect(fixture.database.as(viewer).transaction((tx) => tx.execute(write))).rejects.toThrow(
        /permission denied/,
      );
  });

  const write = (viewer: Viewer, sql: string): Promise<number> =>
    fixture.database.as(viewer).transaction((tx) => tx.execute(Prisma.raw(sql)));

  test('finds nothing in the search log, and cannot write it', async () => {
    const texts = (viewer: Viewer) => fixture.database.as(viewer).query(Prisma.sql`SELECT query_text FROM search_log`);
    expect(await texts(ben)).toEqual([]);
    expect(await texts(tess)).toEqual([{ query_text: 'ours' }]);
    expect(await records().metrics(ben, WINDOW)).toMatchObject({ searches: 0, operations: [] });
    expect(await records().metrics(tess, WINDOW)).toMatchObject({ searches: 1 });
    await expect(write(ben, 'DELETE FROM search_log')).rejects.toThrow(/permission denied/);
  });

  test.each(['topic_tag', 'error_type'])('creates labels in %s, and changes and deletes none', async (table) => {
    const create = (id: string) =>
      fixture.cards.create(ben, newCard({ id, topicTags: ['fractions'], errorTypes: ['adds denominators'] }));
    await create(`first-${table}`);
    await create(`second-${table}`);
    // What a create does whose label another transaction has just created.
    const repeat = `INSERT INTO ${table} AS l (tenant_id, key, name) SELECT tenant_id, key, name FROM ${table}
      ON CONFLICT (tenant_id, key) DO UPDATE SET created_at = l.created_at`;
    expect(await write(ben, repeat)).toBe(1);
    const change = `UPDATE ${table} SET name = 'ours'`;
    for (const viewer of [ben, tess]) {
      await expect(write(viewer, change)).rejects.toThrow(/permission denied: only an admin may change a label/);
      expect(await write(viewer, `DELETE FROM ${table}`)).toBe(0);
    }
    const made = (aliases: string): string => `INSERT INTO ${table} (tenant_id, key, name, aliases, alias_keys)
      VALUES ('${tenant}', 'new', 'new', ${aliases}, ${aliases})`;
    await expect(write(ben, made(`'{other}'`))).rejects.toThrow(/row-level security/);
    expect(await write(admin(tenant), made(`'{other}'`))).toBe(1);
    expect(await write(admin(tenant), change.concat(` WHERE key = 'new'`))).toBe(1);
  });

  test('writes to the change feed of the index only by deleting their own cards', async () => {
    const amy = student(tenant, 'amy');
    for (const [viewer, id] of [
      [ben, 'bens'],
      [amy, 'amys'],
      [amy, 'amys-deleted'],
    ] as const) {
      await fixture.cards.create(viewer, newCard({ id }));
    }
    expect(await fixture.cards.delete(amy, 'amys-deleted')).toBe(true);
    expect(await fixture.cards.delete(ben, 'bens')).toBe(true);
    const again = await fixture.cards.create(ben, newCard({ id: 'bens' }));
    expect(again.revision).toBe(2);
    expect(await fixture.cards.delete(ben, 'bens')).toBe(true);
    for (const id of ['amys', 'amys-deleted', 'bens', 'new']) {
      const insert = `INSERT INTO index_change (tenant_id, card_id, deleted_revision) VALUES ('${tenant}', '${id}', 9)`;
      await expect(write(ben, insert)).rejects.toThrow(/row-level security/);
    }
    expect(await write(ben, 'UPDATE index_change SET deleted_revision = 9')).toBe(0);
  });
});
