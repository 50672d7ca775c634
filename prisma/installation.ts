import type { Database } from './client.js';

/** The UUID that names this database for ever, so that two of them can share one Chroma server. */
export async function installationId(database: Database): Promise<string> {
  const { id } = await database.run((prisma) => prisma.installation.findUniqueOrThrow({ where: { only: true } }));
  return id;
}
