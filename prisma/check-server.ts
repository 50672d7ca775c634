import type { ClientBase } from 'pg';
import { StartupError } from '../src/domain/errors.js';
import type { DatabaseAddress } from './address.js';

/** PostgreSQL 15, the oldest version that is tested. */
const OLDEST_SERVER = 150_000;

interface Session {
  readonly version: number;
  readonly path: string;
  readonly zone: string;
  /** The server process that runs the statements of this connection. */
  readonly process: number;
}

type Connection = Pick<ClientBase, 'query'>;

/**
 * Checks the server by two open connections. StartupError (78) for a server older than PostgreSQL 15, and for a pooler
 * that
 *
 * - drops the start-up options of a connection (`ignore_startup_parameters` of PgBouncer), unless the user has the same
 *   settings: `?schema=` would have no effect, and times would be stored in the server's time zone and read as UTC;
 * - pools transactions: session locks, LISTEN and prepared statements would be those of other connections. Two
 *   connections with one process prove it; a pooler that is busy may give them two.
 */
export async function checkServer(
  [connection, other]: readonly [Connection, Connection],
  { schema, where }: DatabaseAddress,
): Promise<void> {
  const { version, path, zone, process } = await sessionOf(connection);
  const refused = (problem: string): StartupError => new StartupError(`PostgreSQL at ${where} ${problem}`, 78);
  if (version < OLDEST_SERVER) throw refused('is too old: 15 or newer is needed');
  // Settings of a user are stored without needless quotation marks.
  const isSchema = path === `"${schema}"` || (path === schema && /^[a-z_]\w*$/.test(schema));
  if (!isSchema || zone !== 'UTC') {
    const problem = 'start-up options of connections have no effect there: connect to the server, not to a pooler';
    throw refused(`cannot be used: ${problem}`);
  }
  if ((await sessionOf(other)).process === process) {
    const problem = 'connections share sessions there: connect to the server, or to a pooler in session mode';
    throw refused(`cannot be used: ${problem}`);
  }
}

async function sessionOf(connection: Connection): Promise<Session> {
  const { rows } = await connection.query<Session>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('search_path') AS path,
       current_setting('TimeZone') AS zone, pg_backend_pid() AS process`,
  );
  return rows[0] as Session;
}
