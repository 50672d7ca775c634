import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { installationId } from '../../../prisma/installation.js';
import { packageRoot } from '../../../src/config/package-root.js';
import { admin, type Fixture, newCard, newTenant, openFixture } from './fixture.js';
import { DESCRIBE_DATABASE, type Table, tablesOf } from './prisma-schema.js';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await openFixture({ beside: true });
});
afterAll(() => fixture.close());

describe('schema.prisma and the migrated database', () => {
  test('have the same tables, columns, types, keys, indexes and relations', async () => {
    const schema = await readFile(join(packageRoot(), 'prisma', 'schema.prisma'), 'utf8');
    const rows = await fixture.database.query<{ name: string; described: Table }>(Prisma.raw(DESCRIBE_DATABASE));
    const database = Object.fromEntries(
      rows.map(({ name, described }) => [
        name,
        {
          ...described,
          columns: described.columns.toSorted(),
          indexes: described.indexes.toSorted(),
          foreignKeys: described.foreignKeys.toSorted(),
        },
      ]),
    );
    expect(Object.keys(database)).toHaveLength(33);
    expect(database).toEqual(tablesOf(schema));
  });

  test("agree: Prisma's client reads every column of every table as SQL wrote it", async () => {
    const viewer = admin(newTenant());
    const card = await fixture.cards.create(viewer, newCard({ id: 'seen' }));
    await fixture.database.run(async (prisma) => {
      const tables = [
        prisma.apiKey,
        prisma.attempt,
        prisma.cardErrorType,
        prisma.cardIndex,
        prisma.cardOccurrence,
        prisma.cardReview,
        prisma.errorType,
        prisma.fittedSchedule,
        prisma.idempotencyKey,
        prisma.importJob,
        prisma.importRowError,
        prisma.indexChange,
        prisma.indexDirty,
        prisma.indexGeneration,
        prisma.installation,
        prisma.learnedProfile,
        prisma.practiceSettings,
        prisma.studentGroup,
        prisma.topicTag,
      ];
      for (const table of tables) await (table as { count(): Promise<number> }).count();
      const seen = await prisma.card.findUniqueOrThrow({
        where: { tenantId_id: { tenantId: viewer.tenantId, id: 'seen' } },
        include: { topicTags: { include: { topicTag: true }, orderBy: { position: 'asc' } }, occurrences: true },
      });
      expect(seen.topicTags.map((tie) => tie.topicTag.name)).toEqual(card.topicTags);
      expect(seen.occurredAt).toEqual(card.occurredAt);
      expect(seen.createdAt).toEqual(card.createdAt);
      expect(seen.occurrences).toHaveLength(1);
    });
  });

  test('store API keys and request keys', async () => {
    const secretSha256 = new Uint8Array(32).fill(7);
    await fixture.database.run(async (prisma) => {
      const key = {
        id: 'key',
        tenantId: 't',
        ownerId: 'o',
        role: 'student',
        name: 'n',
        secretSha256,
        scopes: ['read'],
      };
      const { createdAt, ...kept } = await prisma.apiKey.create({ data: key });
      expect(kept).toEqual({ ...key, expiresAt: null, lastUsedAt: null, revokedAt: null });
      expect(createdAt).toBeInstanceOf(Date);
      await prisma.idempotencyKey.create({ data: { tenantId: 't', ownerId: 'o', key: 'k', bodySha256: secretSha256 } });
      const short = prisma.apiKey.create({ data: { ...key, id: 'short', secretSha256: new Uint8Array(31) } });
      await expect(short).rejects.toThrow(/api_key_secret_sha256_check/);
    });
  });

  test('have one installation id for each database, which never changes', async () => {
    const id = await installationId(fixture.database);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(await installationId(fixture.database)).toBe(id);
    await expect(fixture.database.execute(Prisma.sql`INSERT INTO installation DEFAULT VALUES`)).rejects.toThrow();
    const other = await openFixture({ beside: true });
    try {
      expect(await installationId(other.database)).not.toBe(id);
    } finally {
      await other.close();
    }
  });
});
