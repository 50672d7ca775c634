import type { Config } from '../src/config/settings.js';
import type { Closers } from '../src/domain/async.js';
import type { Log } from '../src/domain/ports/log.js';
import { PostgresApiKeys } from './api-keys.js';
import { PostgresCardStore } from './cards/cards.js';
import { PostgresCardFilterStore } from './cards/filters.js';
import { PostgresSyncFeed } from './cards/sync-feed.js';
import { PostgresFileStore } from './cards/uploaded-files.js';
import { openDatabase } from './client.js';
import { PostgresErasure } from './erasure.js';
import { enterDatabase } from './gateways.js';
import { PostgresImportJobStore } from './import/import-jobs.js';
import { PostgresImportStore } from './import/import-store.js';
import { PostgresIndexAudit } from './indexing/audit.js';
import { DirtySignal } from './indexing/dirty.js';
import { PostgresIndexChanges } from './indexing/index-changes.js';
import { PostgresVectors } from './indexing/index-vectors.js';
import { PostgresIndexLedger } from './indexing/ledger.js';
import { PostgresOutbox } from './indexing/outbox.js';
import { TableStatistics } from './indexing/statistics.js';
import { databaseIdentity, installationId } from './installation.js';
import { PostgresLabelStore } from './labels/label-store.js';
import { migrate } from './migrate.js';
import { checkRowLevelSecurity } from './row-level-security.js';

export interface StoresParts {
  readonly databaseUrl: string;
  readonly config: Pick<Config, 'uploads' | 'database' | 'chroma' | 'chromaAccess'>;
  /** This process, as the lock of its data directory names it. */
  readonly holder: string;
  readonly metrics: { countSqlStatement(): void };
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly closers: Closers;
  readonly signal: AbortSignal;
}

/** Where the collections of this gateway are, without a credential; null: in an embedded Chroma. */
function placeOfChroma({ chroma, chromaAccess: { tenant, database } }: StoresParts['config']): string | null {
  if (chroma.kind === 'embedded') return null;
  return [new URL(chroma.url).host, tenant, database].filter((part) => part !== null).join('/');
}

/** Migrates and opens the database. StartupError if it cannot be used. */
export async function createStores(parts: StoresParts) {
  const { databaseUrl: url, config, holder, metrics, log, closers, signal } = parts;
  const entered =
    config.database.kind === 'external'
      ? await enterDatabase(url, { chroma: placeOfChroma(config), log, closers, signal })
      : null;
  await migrate(url, signal, { log });
  const database = await openDatabase(url, {
    onQuery: metrics.countSqlStatement,
    onConnectionLost: ({ message }) => log.warn({ reason: message }, 'a connection to PostgreSQL was lost'),
  });
  closers.add('database', () => database.close());
  await checkRowLevelSecurity(database);
  const statistics = new TableStatistics(database, log);
  closers.add('statistics of tables', () => statistics.close());
  const dirty = new DirtySignal();
  const feed = new PostgresSyncFeed(database);
  const { maxTenantBytes } = config.uploads;
  await feed.adopt();
  return {
    database,
    dirty,
    installation: await installationId(database),
    identity: await databaseIdentity(database),
    ...entered,
    cards: new PostgresCardStore(database, dirty),
    filters: new PostgresCardFilterStore(database),
    labels: new PostgresLabelStore(database, dirty),
    imports: new PostgresImportStore(database, dirty, maxTenantBytes),
    jobs: new PostgresImportJobStore(database),
    keys: new PostgresApiKeys(database),
    erasure: new PostgresErasure(database, dirty),
    outbox: new PostgresOutbox(database, dirty, holder, statistics),
    ledger: new PostgresIndexLedger(database, dirty),
    audit: new PostgresIndexAudit(database, dirty),
    changes: new PostgresIndexChanges(database, url),
    /** The vectors of small tenants. */
    inPostgres: new PostgresVectors(database),
    feed,
    uploadedFiles: new PostgresFileStore(database, maxTenantBytes),
  };
}
