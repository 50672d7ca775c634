import type { Database } from '../../prisma/client.js';
import { type Config, dataFolders } from '../config/settings.js';
import { Closers } from '../domain/async.js';
import { StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import { lockDataDir } from '../runtime/embedded/data-lock.js';
import { runningPostgres, startPostgres } from '../runtime/embedded/postgres.js';
import { untilStopped } from './run-command.js';
import { SILENT } from './terminal.js';

type DatabaseSettings = Pick<Config, 'database' | 'dataDir'>;

/**
 * Runs a command's work on the gateway's database: the configured one, the embedded one of a running gateway, or
 * otherwise the embedded one, started for this command. Only the last one is migrated; StartupError (78) if one of the
 * others has pending migrations: migrations cannot be undone, and a running gateway may be of another version.
 */
export function withDatabase<T>(config: DatabaseSettings, work: (database: Database) => Promise<T>): Promise<T> {
  return untilStopped(async (signal) => {
    const closers = new Closers();
    try {
      const { url, isOwn } = await databaseFor(config, closers, signal);
      const [{ migrate, pendingMigrations }, { openDatabase }] = await Promise.all([
        import('../../prisma/migrate.js'),
        import('../../prisma/client.js'),
      ]);
      if (isOwn) await migrate(url, signal);
      else if ((await pendingMigrations(url)).length > 0) {
        const problem = 'the database has pending migrations';
        throw new StartupError(
          `${problem}: start a gateway of this version first, or wait until it has migrated`,
          EXIT.configuration,
        );
      }
      const database = await openDatabase(url);
      closers.add('database', () => database.close());
      return await work(database);
    } finally {
      await closers.close();
    }
  });
}

interface OpenDatabase {
  readonly url: string;
  /** This command has started its server. */
  readonly isOwn: boolean;
}

async function databaseFor(
  { database, dataDir }: DatabaseSettings,
  closers: Closers,
  signal: AbortSignal,
): Promise<OpenDatabase> {
  if (database.kind === 'external') return { url: database.url, isOwn: false };
  const folder = dataFolders(dataDir).postgres;
  const running = await runningPostgres({ dataDir: folder, signal });
  if (running !== null) return { url: running, isOwn: false };
  const lock = await lockDataDir(dataDir);
  closers.add('data directory', () => lock.release());
  const postgres = await startPostgres({ dataDir: folder, log: SILENT, signal });
  closers.add('PostgreSQL', () => postgres.close());
  return { url: postgres.url, isOwn: true };
}
