import { randomUUID } from 'node:crypto';
import { PostgresCardStore } from '../../../prisma/cards/cards.js';
import { PostgresCardFilterStore } from '../../../prisma/cards/filters.js';
import { type Database, type DatabaseOptions, openDatabase } from '../../../prisma/client.js';
import { Prisma } from '../../../prisma/generated/client.js';
import { DirtySignal } from '../../../prisma/indexing/dirty.js';
import { PostgresIndexLedger } from '../../../prisma/indexing/ledger.js';
import { PostgresOutbox } from '../../../prisma/indexing/outbox.js';
import { TableStatistics } from '../../../prisma/indexing/statistics.js';
import { migrate } from '../../../prisma/migrate.js';
import type { NewCard } from '../../../src/domain/card.js';
import { byPerspective } from '../../../src/domain/perspective.js';
import type { IndexedCard } from '../../../src/domain/ports/ledger.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { freshDatabase, migratedDatabase } from '../../support/database.js';

/** The stores of prisma/ on a schema of their own. */
export interface Fixture {
  readonly url: string;
  readonly schema: string;
  readonly database: Database;
  readonly dirty: DirtySignal;
  readonly cards: PostgresCardStore;
  readonly filters: PostgresCardFilterStore;
  readonly outbox: PostgresOutbox;
  readonly ledger: PostgresIndexLedger;
  close(): Promise<void>;
}

/**
 * On a database of its own, or where the server is not the tests' own in a schema; `beside`: in another schema of the
 * database that all tests share. `sessions` names the sessions, in `pg_stat_activity`, of all that open its `url`; by
 * default no other fixture's have this name.
 */
export async function openFixture(
  options: DatabaseOptions & { readonly beside?: boolean; readonly sessions?: string } = {},
): Promise<Fixture> {
  const made = options.beside === true ? await freshDatabase() : await migratedDatabase();
  const { schema, drop } = made;
  const url = `${made.url}&application_name=${options.sessions ?? randomUUID()}`;
  if (options.beside === true) await migrate(url);
  const database = await openDatabase(url, options);
  const dirty = new DirtySignal();
  const statistics = new TableStatistics(database, { warn: () => undefined });
  return {
    url,
    schema,
    database,
    dirty,
    cards: new PostgresCardStore(database, dirty),
    filters: new PostgresCardFilterStore(database),
    outbox: new PostgresOutbox(database, dirty, 'fixture', statistics),
    ledger: new PostgresIndexLedger(database, dirty),
    close: async () => {
      await statistics.close();
      await database.close();
      await drop();
    },
  };
}

/** A tenant that no other test in the file has. */
export function newTenant(): string {
  return `tenant-${randomUUID()}`;
}

export function admin(tenantId: string): Viewer {
  return { tenantId, ownerId: 'admin', role: 'admin' };
}

export function student(tenantId: string, ownerId: string): Viewer {
  return { tenantId, ownerId, role: 'student' };
}

export function newCard(over: Partial<NewCard> = {}): NewCard {
  return {
    id: null,
    subject: 'math',
    grade: 'G6',
    difficulty: 3,
    questionText: '一个三角形的底是 6 厘米，高是 4 厘米，面积是多少？',
    choices: [],
    studentSolutionText: '6 × 4 = 24',
    goldSolutionBrief: '6 × 4 ÷ 2 = 12',
    topicTags: ['三角形', '面积'],
    errorTypes: ['公式误用'],
    qualityGrade: 'GOOD',
    source: null,
    notes: null,
    occurredAt: new Date('2025-03-01T08:30:00.123Z'),
    metadata: [],
    attachments: [],
    ...over,
  };
}

/** A card's entry in the ledger, made up. */
export function indexedCard(revision: number): IndexedCard {
  return {
    revision,
    indexedAt: new Date('2025-04-01T00:00:00.456Z'),
    passages: byPerspective((perspective) => (perspective === 'error' ? [] : [`${perspective}-${revision}`])),
  };
}

/** Claims and completes everything that is due, in the given generations, as an indexer would. */
export async function indexEverything({ outbox, ledger }: Fixture, generations: readonly number[]): Promise<void> {
  for (;;) {
    const claims = await outbox.claim(500, 60_000);
    if (claims.length === 0) return;
    for (const tenantId of new Set(claims.map((claim) => claim.tenantId))) {
      const own = claims.filter((claim) => claim.tenantId === tenantId);
      const ids = own.map((claim) => claim.cardId);
      const cards = await ledger.cards(tenantId, ids);
      await outbox.done(
        own.map((claim) => {
          const card = cards.get(claim.cardId);
          const indexed = card === undefined ? null : indexedCard(card.revision);
          return { claim, outcomes: generations.map((generation) => ({ generation, indexed })) };
        }),
      );
    }
  }
}

export interface DirtyRow {
  readonly card_id: string;
  readonly seq: bigint;
  readonly priority: number;
  readonly leased: boolean;
  readonly attempts: number;
  readonly error: string | null;
  readonly dead: boolean;
}

/** The outbox rows of a tenant as they are, by card id. */
export async function dirtyRows({ database }: Fixture, tenantId: string): Promise<ReadonlyMap<string, DirtyRow>> {
  const rows = await database.query<DirtyRow>(Prisma.sql`
    SELECT card_id, seq, priority, token IS NOT NULL AS leased, attempts, error, dead
    FROM index_dirty WHERE tenant_id = ${tenantId}`);
  return new Map(rows.map((row) => [row.card_id, row]));
}

/** Begins a generation, indexes everything in it as an indexer would, and makes it live; its number. */
export async function liveGeneration(fixture: Fixture, tenantId: string): Promise<number> {
  const { generation } = await fixture.ledger.startGeneration(tenantId, 'model-a');
  await indexEverything(fixture, [generation.number]);
  if (!(await fixture.ledger.promote(tenantId, generation.number))) throw new Error('the generation lacks cards');
  return generation.number;
}

/** As if the generations that have retired had done so long ago. */
export function endGrace({ database }: Fixture): Promise<number> {
  return database.execute(Prisma.sql`
    UPDATE index_generation SET switched_at = now() - interval '1 hour' WHERE state = 'RETIRED'`);
}
