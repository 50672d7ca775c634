import type { Database } from './client.js';

/** The UUID of this database, which never changes: two databases can share one Chroma server. */
export async function installationId(database: Database): Promise<string> {
  const { id } = await database.run((prisma) => prisma.installation.findUniqueOrThrow({ where: { only: true } }));
  return id;
}
