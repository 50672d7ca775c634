import type { Prisma } from './generated/client.js';

/** Runs queries. */
export interface Queries {
  /** The rows of a statement, typed by the caller, who wrote its columns. */
  query<Row>(sql: Prisma.Sql): Promise<Row[]>;
}

/** Runs statements: each in a transaction of its own, or all in one. */
export interface Statements extends Queries {
  /** Runs a statement; how many rows it touched. */
  execute(sql: Prisma.Sql): Promise<number>;
}

/** The database under row-level security, on behalf of one viewer. A query is a read-only transaction of its own. */
export interface ViewerDatabase extends Statements {
  /** As `Database.transaction`. */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
}
