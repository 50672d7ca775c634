import { createHash } from 'node:crypto';
import { default_w } from 'ts-fsrs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresSyncFeed } from '../../../prisma/cards/sync-feed.js';
import { PostgresFileStore } from '../../../prisma/cards/uploaded-files.js';
import { PostgresErasure } from '../../../prisma/erasure.js';
import { Prisma } from '../../../prisma/generated/client.js';
import { PostgresImportStore } from '../../../prisma/import/import-store.js';
import { PostgresAttemptStore } from '../../../prisma/practice/attempts.js';
import { PostgresPracticeSettings } from '../../../prisma/practice/practice-settings.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { mergeDrafts } from '../../../src/exchange/import/merge.js';
import { admin, type Fixture, newCard, newTenant, openFixture, student } from './fixture.js';
import { attempt } from './practice-world.js';

let fixture: Fixture;
let erasure: PostgresErasure;
let attempts: PostgresAttemptStore;
beforeAll(async () => {
  fixture = await openFixture();
  erasure = new PostgresErasure(fixture.database, fixture.dirty);
  attempts = new PostgresAttemptStore(fixture.database, fixture.dirty);
});
afterAll(() => fixture.close());

/** By table, the rows of this owner; of the feed only those that do not tell of a deletion. */
async function rowsOf({ tenantId, ownerId }: Viewer): Promise<Record<string, number>> {
  const tables = await fixture.database.query<{ name: string }>(Prisma.sql`
    SELECT table_name::text AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND column_name = 'owner_id' ORDER BY 1`);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const isLeft = name === 'card_change' ? Prisma.sql`NOT deleted` : Prisma.sql`true`;
    const [row] = await fixture.database.query<{ count: number }>(Prisma.sql`
      SELECT count(*)::int AS count FROM ${Prisma.raw(`"${name}"`)}
      WHERE tenant_id = ${tenantId} AND owner_id = ${ownerId} AND ${isLeft}`);
    counts[name] = row?.count ?? 0;
  }
  return counts;
}

/** A row in each table of the student's. */
async function fill(amy: Viewer, ben: Viewer): Promise<void> {
  const { tenantId, ownerId } = amy;
  const { database } = fixture;
  const files = new PostgresFileStore(database, 2 ** 20);
  const shas = [];
  for (const text of ['attached', 'only uploaded']) {
    const content = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from(text)]);
    const sha256 = createHash('sha256').update(content).digest('hex');
    await files.keep(amy, { sha256, contentType: 'image/png', content });
    shas.push(sha256);
  }
  const file = { kind: 'QUESTION' as const, altText: null, url: null, contentType: null, bytes: null };
  const attachments = [{ ...file, sha256: shas[0] ?? '' }];
  await fixture.cards.create(amy, newCard({ id: 'kept', attachments }), {
    ...{ key: 'request 0', body: '{}', former: { key: 'request createCard', body: '{}' }, sender: amy },
  });
  await fixture.cards.create(amy, newCard({ id: 'merged', questionText: 'another' }));
  await fixture.cards.create(ben, newCard({ id: 'bens' }));
  await attempts.record(amy, new Map([['amy', [attempt('k1', { cardId: 'merged' })]]]));
  await attempts.record(admin(tenantId), new Map([['amy', [attempt('k2', { cardId: 'bens' })]]]));
  await attempts.record(ben, new Map([['ben', [attempt('k1', { cardId: 'bens' })]]]));
  const imports = new PostgresImportStore(database, fixture.dirty, 2 ** 20);
  await imports.merge(amy, { into: 'kept', from: 'merged' }, mergeDrafts);
  await new PostgresPracticeSettings(database).save(amy, { dailyLimit: 9 });
  await database.run(async (prisma) => {
    const own = { tenantId, ownerId };
    const figures = { reviews: 400, heldOutReviews: 100, defaultLogLoss: 0.4, logLoss: 0.3 };
    await prisma.fittedSchedule.create({ data: { ...own, weights: [...default_w], isUsed: true, ...figures } });
    const job = { key: 'f', name: 'amy.xlsx', format: 'xlsx', options: {}, state: 'RUNNING', notices: [] };
    const problem = { number: 1, failed: true, row: 2, reason: 'x', content: 'what amy wrote' };
    const { id } = await prisma.importJob.create({ data: { ...own, role: 'student', ...job } });
    await prisma.importRowError.create({ data: { tenantId, jobId: id, ...problem } });
    const key = { name: 'tablet', role: 'student', scopes: ['read'], secretSha256: new Uint8Array(32) };
    await prisma.apiKey.create({ data: { ...own, ...key, id: tenantId } });
    await prisma.studentGroup.create({ data: { tenantId, name: '6a', owners: ['amy', 'ben'] } });
  });
}

test('nothing of an erased student is left in any table, and nothing of others is gone', async () => {
  const tenant = newTenant();
  const [amy, ben] = [student(tenant, 'amy'), student(tenant, 'ben')];
  await fill(amy, ben);
  const before = await rowsOf(amy);
  expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([]);
  const elsewhere = student(newTenant(), 'amy');
  await fill(elsewhere, student(elsewhere.tenantId, 'ben'));
  const others = [await rowsOf(ben), await rowsOf(elsewhere)];

  expect(await erasure.erase(amy)).toEqual({ cards: 1, attempts: 2 });

  expect(Object.entries(await rowsOf(amy)).filter(([, count]) => count > 0)).toEqual([]);
  expect([await rowsOf(ben), await rowsOf(elsewhere)]).toEqual(others);
  const groups = await fixture.database.run((prisma) => prisma.studentGroup.findMany({ where: { tenantId: tenant } }));
  expect(groups.map(({ owners }) => owners)).toEqual([['ben']]);
  expect(await erasure.erase(amy)).toEqual({ cards: 0, attempts: 0 });
});

test('the index and the copies of clients learn of all erased cards', async () => {
  const tenant = newTenant();
  const amy = student(tenant, 'amy');
  const card = {
    tenantId: tenant,
    ownerId: 'amy',
    subject: 'math',
    difficulty: 1,
    occurredAt: new Date(0),
    choices: [],
  };
  const ids = Array.from({ length: 501 }, (_, place) => `c${place}`);
  const data = ids.map((id) => ({ ...card, id, questionText: id, revision: 3 }));
  await fixture.database.run((prisma) => prisma.card.createMany({ data }));
  let notified = 0;
  fixture.dirty.add(() => {
    notified += 1;
  });
  expect(await erasure.erase(amy)).toEqual({ cards: 501, attempts: 0 });
  expect(notified).toBe(2);
  const where = { tenantId: tenant };
  expect(await fixture.database.run((prisma) => prisma.indexDirty.count({ where }))).toBe(501);
  const { edges } = await new PostgresSyncFeed(fixture.database).changes(admin(tenant), { first: 600, after: null });
  expect(new Set(edges.map(({ node }) => `${node.kind} ${node.cardId}`))).toEqual(
    new Set(ids.map((id) => `REMOVED ${id}`)),
  );
  expect((await fixture.cards.create(amy, newCard({ id: 'c500' }))).revision).toBe(4);
});

test('an erasure stops between two transactions when its request is given up', async () => {
  const amy = student(newTenant(), 'amy');
  await fixture.cards.create(amy, newCard({ id: 'c1' }));
  await expect(erasure.erase(amy, AbortSignal.abort(new Error('given up')))).rejects.toThrow('given up');
  expect(await erasure.erase(amy)).toEqual({ cards: 1, attempts: 0 });
});
