import type { Database } from '../../prisma/client.js';
import { type Config, dataFolders } from '../config/settings.js';
import { Closers } from '../domain/async.js';
import { lockDataDir } from '../runtime/embedded/data-lock.js';
import { runningPostgres, startPostgres } from '../runtime/embedded/postgres.js';
import type { Log } from '../runtime/embedded/supervise.js';
import { stoppable } from '../runtime/stopping.js';
import { STOP_DEADLINE_MS } from './run-command.js';

/** Commands do not show the log of the embedded server. */
const SILENT: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined };

/**
 * Runs a command's work on the gateway's database: the configured one, the embedded one of a running gateway, or
 * otherwise the embedded one, started for this command.
 */
export function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  return stoppable(
    async ({ signal }) => {
      const closers = new Closers();
      try {
        const url = await databaseUrl(config, closers, signal);
        const [{ migrate }, { openDatabase }] = await Promise.all([
          import('../../prisma/migrate.js'),
          import('../../prisma/client.js'),
        ]);
        await migrate(url, signal);
        const database = await openDatabase(url);
        closers.add('database', () => database.close());
        return await work(database);
      } finally {
        await closers.close();
      }
    },
    { deadlineMs: STOP_DEADLINE_MS },
  );
}

async function databaseUrl({ database, dataDir }: Config, closers: Closers, signal: AbortSignal): Promise<string> {
  if (database.kind === 'external') return database.url;
  const folder = dataFolders(dataDir).postgres;
  const running = await runningPostgres({ dataDir: folder, signal });
  if (running !== null) return running;
  const lock = await lockDataDir(dataDir);
  closers.add('data directory', () => lock.release());
  const postgres = await startPostgres({ dataDir: folder, log: SILENT, signal });
  closers.add('PostgreSQL', () => postgres.close());
  return postgres.url;
}
