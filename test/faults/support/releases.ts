import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../../prisma/migrate.js';
import { packageRoot } from '../../../src/config/package-root.js';
import { startPostgres } from '../../../src/runtime/embedded/postgres.js';
import { embeddedOptions } from '../../support/embedded.js';

/** What a release left in its database: the migrations that it had, and all rows. `releases/record.mjs` keeps it. */
export interface Release {
  readonly version: string;
  readonly migrations: readonly { readonly name: string; readonly checksum: string }[];
  readonly tables: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

const FOLDER = join(packageRoot(), 'test', 'faults', 'releases');

/** Every release that was kept, the oldest first. */
export async function releases(): Promise<readonly Release[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(FOLDER, name), 'utf8')) as Release));
}

/**
 * Opens the embedded PostgreSQL of a data directory that no gateway uses, makes it where there is none, and closes it
 * again.
 */
export async function withPostgres<T>(
  dataDir: string,
  run: (client: pg.Client, url: string) => Promise<T>,
): Promise<T> {
  const postgres = await startPostgres(embeddedOptions(join(dataDir, 'postgres')));
  const client = new pg.Client({ connectionString: postgres.url });
  try {
    await client.connect();
    return await run(client, postgres.url);
  } finally {
    await client.end();
    await postgres.close();
  }
}

/**
 * Makes the database of a data directory as the release left it; rows of tables and columns that it had not yet are
 * left out.
 */
export async function layRelease(dataDir: string, { migrations, tables }: Release): Promise<void> {
  const folder = join(dataDir, 'migrations-of-the-release');
  for (const { name } of migrations) {
    await mkdir(join(folder, name), { recursive: true });
    await cp(join(packageRoot(), 'prisma', 'migrations', name), join(folder, name), { recursive: true });
  }
  await withPostgres(dataDir, async (client, url) => {
    await migrate(url, undefined, { migrations: folder });
    // Without its triggers, of which foreign keys are some: tables come in any order.
    await client.query('SET session_replication_role = replica');
    for (const [name, rows] of Object.entries(tables)) {
      const { rowCount } = await client.query('SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = $2', [
        'public',
        name,
      ]);
      if (rowCount === 0) continue;
      const table = client.escapeIdentifier(name);
      // The migrations make some rows themselves.
      await client.query(`DELETE FROM ${table}`);
      await client.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1)`, [
        JSON.stringify(rows),
      ]);
    }
    for (const [table, column] of SERIALS) {
      await client.query(
        `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), (SELECT max(${column}) FROM ${table}))`,
      );
    }
  });
}

/** Columns that count by themselves. */
const SERIALS = [
  ['topic_tag', 'id'],
  ['error_type', 'id'],
] as const;

/** Every row of every table, as text: equal for databases that say the same. */
export async function contentsOf(client: pg.Client): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname`,
  );
  const contents: Record<string, readonly string[]> = {};
  for (const { name } of tables) {
    const table = client.escapeIdentifier(name);
    const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t ORDER BY t::text`);
    contents[name] = rows.map(({ row }) => row);
  }
  return contents;
}
