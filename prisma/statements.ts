import type { Prisma } from './generated/client.js';

/** Runs SQL that only reads. */
export interface Queries {
  /** The caller, who wrote the statement's columns, types its rows. */
  query<Row>(sql: Prisma.Sql): Promise<Row[]>;
}

/** Runs SQL: each statement in a transaction of its own, or all in one. */
export interface Statements extends Queries {
  /** Returns the number of rows that were changed. */
  execute(sql: Prisma.Sql): Promise<number>;
}

/**
 * A transaction: Prisma's typed operations, and SQL for what they cannot say. A list is given as `{ set: list }`: Prisma caches the
 * plan of an operation by its shape, to which a bare list belongs with its values, and making a plan takes 0.7 ms.
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
  /** As `Database.transaction`. */
  transaction<T>(work: (tx: ViewerTransaction) => Promise<T>): Promise<T>;
}

/** A value for a JSONB column: Prisma takes neither interfaces nor dates within them. */
export function json(value: object): Prisma.InputJsonObject {
  return JSON.parse(JSON.stringify(value));
}
