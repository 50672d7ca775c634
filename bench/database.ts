import { join } from 'node:path';
import { migrate } from '../prisma/migrate.js';
import { createLog } from '../src/observability/log.js';
import { startPostgres } from '../src/runtime/embedded/postgres.js';
import type { Run } from './run.js';

/** Starts a PostgreSQL with its data in `folder`, and migrates it; the closers end it. Its URL. */
export async function startDatabase(
  { closers, signal }: Pick<Run, 'closers' | 'signal'>,
  folder: string,
): Promise<string> {
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), log: createLog('warn'), signal });
  closers.add('PostgreSQL', () => postgres.close());
  await migrate(postgres.url, signal);
  return postgres.url;
}
