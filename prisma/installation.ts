import type { Database } from './client.js';
import { Prisma } from './generated/client.js';
import { only } from './statements.js';

/** The UUID of this database, which never changes: two databases can share one Chroma server. */
export async function installationId(database: Database): Promise<string> {
  const { id } = await database.run((prisma) => prisma.installation.findUniqueOrThrow({ where: { only: true } }));
  return id;
}

/** Differs between a database and its copies by `pg_restore` or as a template; physical copies have the same. */
export async function databaseIdentity(database: Database): Promise<string> {
  const sql = Prisma.sql`
    SELECT concat_ws('/', c.system_identifier, d.oid, current_schema()) AS id
    FROM pg_control_system() c, pg_database d WHERE d.datname = current_database()`;
  return only(await database.query<{ id: string }>(sql)).id;
}
