// Keeps what a release leaves in its database, for `upgrade.test.ts`:
//   node test/faults/releases/record.mjs VERSION DATABASE_URL > test/faults/releases/VERSION.json
// The schema itself is not kept: the migrations make it, and their checksums are.
import pg from 'pg';

const [version, url] = process.argv.slice(2);
if (url === undefined) throw new Error('usage: record.mjs VERSION DATABASE_URL');
const client = new pg.Client({ connectionString: url });
await client.connect();
const rowsOf = async (table) => (await client.query(`SELECT row_to_json(t) AS row FROM ${table} t`)).rows;
const migrations = (
  await client.query('SELECT migration_name AS name, checksum FROM _prisma_migrations ORDER BY migration_name')
).rows;
const { rows: names } = await client.query(
  `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
   AND relname <> '_prisma_migrations' ORDER BY relname`,
);
const tables = {};
for (const { name } of names) {
  const rows = (await rowsOf(client.escapeIdentifier(name))).map(({ row }) => row);
  if (rows.length > 0) tables[name] = rows;
}
await client.end();
process.stdout.write(`${JSON.stringify({ version, migrations, tables }, null, 1)}\n`);
