import { defineConfig } from 'prisma/config';

/**
 * For Prisma's own command line (`prisma generate`, `prisma migrate deploy`); the gateway itself does not read it.
 * `generate` needs no database, so an absent DATABASE_URL is no error here.
 */
const url = process.env.DATABASE_URL;

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  ...(url === undefined ? {} : { datasource: { url } }),
});
