import type { Pool } from 'pg';
import { StartupError } from '../src/domain/errors.js';
import type { DatabaseAddress } from './address.js';

/** PostgreSQL 15, the oldest version that is tested. */
const OLDEST_SERVER = 150_000;

interface Session {
  readonly version: number;
  readonly path: string;
  readonly zone: string;
}

/**
 * StartupError (78) for a server older than PostgreSQL 15, and for a pooler that drops the start-up options of a
 * connection (`ignore_startup_parameters` of PgBouncer): `?schema=` would have no effect, and times would be stored in
 * the server's time zone and read as UTC.
 */
export async function checkServer(client: Pick<Pool, 'query'>, { schema, where }: DatabaseAddress): Promise<void> {
  const { rows } = await client.query<Session>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('search_path') AS path,
       current_setting('TimeZone') AS zone`,
  );
  const { version, path, zone } = rows[0] as Session;
  if (version < OLDEST_SERVER) throw new StartupError(`PostgreSQL at ${where} is too old: 15 or newer is needed`, 78);
  if (path !== `"${schema}"` || zone !== 'UTC') {
    const problem = 'start-up options of connections have no effect there: connect to the server, not to a pooler';
    throw new StartupError(`PostgreSQL at ${where} cannot be used: ${problem}`, 78);
  }
}
