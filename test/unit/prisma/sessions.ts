import pg from 'pg';
import { Prisma } from '../../../prisma/generated/client.js';
import type { Queries } from '../../../prisma/statements.js';
import { testServer } from '../../support/database.js';

/** The process of a session on the server, by a query in it. */
export async function backend(
  query: (sql: Prisma.Sql) => Promise<readonly { readonly pid: number }[]>,
): Promise<number> {
  return (await query(Prisma.sql`SELECT pg_backend_pid() AS pid`))[0]?.pid ?? 0;
}

/** Ends another session, as an administrator or a restart would. */
export async function terminate(pid: number): Promise<void> {
  const client = new pg.Client({ connectionString: testServer().href });
  await client.connect();
  await client.query('SELECT pg_terminate_backend($1, 5000)', [pid]);
  await client.end();
}

/** How many statements of the fixture that opened this database wait for a lock: others may share it. */
export async function waiting(database: Queries): Promise<number> {
  const [row] = await database.query<{ count: number }>(Prisma.sql`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE application_name = current_setting('application_name') AND wait_event_type = 'Lock'`);
  return row?.count ?? 0;
}
