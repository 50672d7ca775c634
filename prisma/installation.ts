import type { Database } from './client.js';
import { INSUFFICIENT_PRIVILEGE, sqlState } from './errors.js';
import { Prisma } from './generated/client.js';
import { only } from './statements.js';

/** The UUID of this database, which never changes: two databases can share one Chroma server. */
export async function installationId(database: Pick<Database, 'run'>): Promise<string> {
  const { id } = await database.run((prisma) => prisma.installation.findUniqueOrThrow({ where: { only: true } }));
  return id;
}

/**
 * Differs between a database and its copies by `pg_restore` or as a template; physical copies have the same. Servers
 * differ by their system identifier. If this user may not read that, it is replaced by the transaction that wrote the
 * installation, which two copies of one dump may share.
 */
export async function databaseIdentity(database: Pick<Database, 'query'>): Promise<string> {
  const identityWith = async (server: Prisma.Sql): Promise<string> => {
    const sql = Prisma.sql`
      SELECT concat_ws('/', (${server}), d.oid, current_schema()) AS id
      FROM pg_database d WHERE d.datname = current_database()`;
    return only(await database.query<{ id: string }>(sql)).id;
  };
  try {
    return await identityWith(Prisma.sql`SELECT system_identifier::text FROM pg_control_system()`);
  } catch (thrown) {
    if (sqlState(thrown) !== INSUFFICIENT_PRIVILEGE) throw thrown;
    return identityWith(Prisma.sql`SELECT xmin::text FROM installation`);
  }
}
