import { Prisma } from './generated/client.js';

/** Runs SQL that only reads. */
export interface Queries {
  /** The caller types the rows, because the statement names their columns. */
  query<Row>(sql: Prisma.Sql): Promise<Row[]>;
}

/** The row of a statement that returns one whatever is in the tables. */
export function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('the statement returned no row');
  return row;
}

/** Runs SQL: each statement in a transaction of its own, or all in one. */
export interface Statements extends Queries {
  /** Returns the number of rows that were changed. */
  execute(sql: Prisma.Sql): Promise<number>;
}

export function statementsOf(prisma: Prisma.TransactionClient): Statements {
  return {
    query: <Row>(sql: Prisma.Sql) => prisma.$queryRaw<Row[]>(sql),
    execute: (sql) => prisma.$executeRaw(sql),
  };
}

/**
 * A transaction: Prisma's typed operations, and SQL for what they cannot say. A list is given as `{ set: list }`:
 * Prisma caches the plan of an operation by its shape, to which a bare list belongs with its values, and making a plan
 * takes 0.7 ms.
 */
export interface Transaction extends Statements {
  readonly prisma: Prisma.TransactionClient;
}

/** A transaction under row-level security. */
export interface ViewerTransaction extends Transaction {
  /** When it began, by the database's clock: Prisma has no `now()` for updates and conditions. */
  readonly now: Date;
}

/** The database under row-level security, on behalf of one viewer. Each query is a read-only transaction of its own. */
export interface ViewerDatabase extends Queries {
  /**
   * As `query`, for the statements that read cards by id, those of every search among them: connections prepare them,
   * so that PostgreSQL need not plan them again, which takes twice as long as their execution. They must find their
   * rows by indexes.
   */
  prepared<Row>(sql: Prisma.Sql): Promise<Row[]>;
  /** As `Database.transaction`. */
  transaction<T>(work: (tx: ViewerTransaction) => Promise<T>): Promise<T>;
}

/** Deletes rows on behalf of a viewer; false if there were none. */
export async function deleteAny(
  database: ViewerDatabase,
  remove: (prisma: Prisma.TransactionClient) => Promise<{ readonly count: number }>,
): Promise<boolean> {
  const { count } = await database.transaction(({ prisma }) => remove(prisma));
  return count > 0;
}

/**
 * Takes the advisory locks with these names, in their order, until the transaction ends. `{schema}` stands for the
 * current schema: locks are common to all schemas of a database. Several transactions may have a shared lock. Returns
 * the start of the transaction by the database's clock.
 */
export async function lock(tx: Queries, names: readonly string[], mode: '' | '_shared' = ''): Promise<Date> {
  const rows = await tx.query<{ now: Date }>(Prisma.sql`SELECT now()::timestamptz(3) AS now, count(
      pg_advisory_xact_lock${Prisma.raw(mode)}(hashtextextended(replace(name, '{schema}', current_schema()), 0)))
    FROM unnest(${names}::text[]) AS name`);
  return only(rows).now;
}

/** A setting of PostgreSQL, for a transaction. */
export type Setting = readonly [name: string, value: string];

/**
 * Changes settings, in their order, until the transaction ends. Returns the start of the transaction by the database's
 * clock, in the same round trip.
 */
export async function setLocally(tx: Queries, settings: readonly Setting[]): Promise<Date> {
  const rows = await tx.query<{ now: Date }>(Prisma.sql`
    SELECT count(set_config(name, value, true)), now()::timestamptz(3) AS now FROM ${pairs(settings)} AS setting (name, value)`);
  return only(rows).now;
}

/** A value for a JSONB column: Prisma takes neither interfaces nor dates within them. */
export function json(value: object): Prisma.InputJsonObject {
  return JSON.parse(JSON.stringify(value));
}

/** A text that quotes a file or a server: PostgreSQL refuses NUL, and in JSON lone surrogates. */
export function storable<T extends string | null>(text: T): T {
  return (text?.replace(/[\0\p{Surrogate}]/gu, '\ufffd') ?? null) as T;
}

const FORM = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a client's id is a UUID: PostgreSQL refuses to compare anything else with one. */
export function isUuid(id: string): boolean {
  return FORM.test(id);
}

/** The SQL of a condition before and after its value, which is a parameter. */
export const compare =
  (before: string, after = '') =>
  (value: unknown) =>
    Prisma.sql`${Prisma.raw(before)} ${value}${Prisma.raw(after)}`;
export const oneOf = (column: string) => compare(`${column} = ANY(`, '::text[])');

/** A set of rows with two columns, for FROM. */
export function pairs(rows: readonly (readonly [string, string])[]): Prisma.Sql {
  return Prisma.sql`unnest(${rows.map(([first]) => first)}::text[], ${rows.map(([, second]) => second)}::text[])`;
}
