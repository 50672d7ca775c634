import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { abortable, delay, once } from '../src/domain/async.js';
import { asError } from '../src/domain/errors.js';
import type { Viewer } from '../src/domain/viewer.js';
import { CONNECT_TIMEOUT_MS, type DatabaseAddress, databaseAddress } from './address.js';
import { checkServer } from './check-server.js';
import { failureOf, startupFailure, translated } from './errors.js';
import { Prisma, PrismaClient } from './generated/client.js';
import { leaveReadOnlyServers } from './read-only.js';
import { queryAs, withViewers } from './row-level-security.js';
import {
  only,
  type Queries,
  type Statements,
  statementsOf,
  type Transaction,
  type ViewerDatabase,
} from './statements.js';
import { PreparedStatements } from './viewer-query.js';

/** PostgreSQL allows 100 connections by default, and a statement takes milliseconds. */
const POOL_MAX = 10;

/** An idle connection is closed after this, in ms, so that a quiet gateway holds none. */
const IDLE_TIMEOUT_MS = 60_000;

/**
 * The server cancels a statement after this, in ms: far above the slowest one (a rebuild marks 100,000 cards in 1-2 s).
 */
const STATEMENT_TIMEOUT_MS = 30_000;

/** A server that does not answer a statement within this, in ms, counts as unavailable. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/**
 * Prisma's own limit of a transaction, in ms. It must never be reached: ending a transaction during COMMIT can crash
 * the process. The limits of statements are reached first.
 */
const TRANSACTION_TIMEOUT_MS = 10 * ANSWER_TIMEOUT_MS;

/** Attempts at a transaction that fails because of conflicts or connections. */
const TRANSACTION_ATTEMPTS = 3;

export interface DatabaseOptions {
  /**
   * Called once for each statement sent, BEGIN and COMMIT among them; a viewer's read counts as one, although a
   * transaction is sent with it.
   */
  readonly onQuery?: (sql: string) => void;
  /** Called when a connection breaks between two statements; the next one fails or opens another. */
  readonly onConnectionLost?: (error: Error) => void;
}

/**
 * An open database. Failures of the server are thrown as UnavailableError (`database`). Its own statements run without
 * row-level security, for the gateway's own work; those of viewers use {@link Database.as}.
 */
export class Database implements Statements {
  readonly #viewers: ReturnType<typeof withViewers>;
  readonly #prepared = new PreparedStatements();

  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: pg.Pool,
  ) {
    this.#viewers = withViewers(prisma);
  }

  query<Row>(sql: Prisma.Sql): Promise<Row[]> {
    return this.run((prisma) => statementsOf(prisma).query<Row>(sql));
  }

  /**
   * Queries of the read path, without Prisma's client, whose raw queries take three times as long. They reject once the
   * signal aborts; the server completes the statement.
   */
  until(signal: AbortSignal | undefined): Queries {
    const query = async <Row>({ text, values }: Prisma.Sql): Promise<Row[]> => {
      const rows = this.pool.query(text, values).then((result) => result.rows as Row[], failed);
      return signal === undefined ? rows : abortable(rows, signal);
    };
    return { query };
  }

  execute(sql: Prisma.Sql): Promise<number> {
    return this.run((prisma) => statementsOf(prisma).execute(sql));
  }

  /** Runs Prisma's typed operations, each in its own transaction. */
  async run<T>(work: (prisma: Prisma.TransactionClient) => Promise<T>): Promise<T> {
    try {
      return await work(this.prisma);
    } catch (thrown) {
      throw translated(thrown);
    }
  }

  /** The database's clock. */
  async now(): Promise<Date> {
    return (await this.#serverState()).now;
  }

  /** True for a standby, and with `default_transaction_read_only`. */
  async isReadOnly(): Promise<boolean> {
    return (await this.#serverState()).isReadOnly;
  }

  /**
   * Runs `work` in one transaction (READ COMMITTED). It is repeated if the server rolled it back because of a conflict,
   * or if the connection broke before COMMIT was sent; `work` must therefore have no effect outside the transaction. If
   * the connection breaks later, it is unknown whether the transaction was applied: UnavailableError.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return attempts((onCommit) =>
      this.prisma.$transaction(async (prisma) => {
        const result = await work({ prisma, ...statementsOf(prisma) });
        onCommit();
        return result;
      }),
    );
  }

  /**
   * The database on behalf of a viewer. Once the signal aborts, a query rejects with its reason and the server cancels
   * it; a transaction before its COMMIT is rolled back.
   */
  as(viewer: Viewer, signal?: AbortSignal): ViewerDatabase {
    const run = async <Row>(sql: Prisma.Sql, name: string | null): Promise<Row[]> => {
      try {
        return await queryAs<Row>({ pool: this.pool, prepared: this.#prepared }, { viewer, sql, name }, signal);
      } catch (thrown) {
        throw signal?.aborted ? asError(signal.reason) : translated(thrown);
      }
    };
    return {
      query: (sql) => run(sql, null),
      prepared: (sql) => run(sql, this.#prepared.nameOf(sql.text)),
      transaction: (work) =>
        attempts((onCommit) =>
          this.#viewers.$transactionAs(viewer, async (prisma, now) => {
            const result = await work({ prisma, ...statementsOf(prisma), now });
            signal?.throwIfAborted();
            onCommit();
            return result;
          }),
        ),
    };
  }

  /** Waits for running statements, then closes every connection. */
  readonly close = once(async () => {
    await this.prisma.$disconnect();
    await this.pool.end();
  });

  async #serverState(): Promise<ServerState> {
    return only(
      await this.query<ServerState>(Prisma.sql`SELECT now()::timestamptz(3) AS now,
        current_setting('transaction_read_only')::boolean AS "isReadOnly"`),
    );
  }
}

interface ServerState {
  readonly now: Date;
  readonly isReadOnly: boolean;
}

function failed(thrown: unknown): never {
  throw translated(thrown);
}

/** Repeats a transaction after transient failures; `onCommit` is called before COMMIT is sent. */
async function attempts<T>(transaction: (onCommit: () => void) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    let committing = false;
    try {
      return await transaction(() => {
        committing = true;
      });
    } catch (thrown) {
      const failure = failureOf(thrown);
      const again = failure === 'collision' || (failure === 'connection' && !committing);
      if (!again || attempt === TRANSACTION_ATTEMPTS) throw translated(thrown);
      // Random, so that the same two transactions do not conflict again.
      await delay(Math.random() * 20 * attempt);
    }
  }
}

/**
 * Connects to the server that `url` names. StartupError (69) within 5 s if it cannot be reached,
 * refuses the user or has no such database; (78) as {@link checkServer}.
 */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  const address = databaseAddress(url);
  const { connection, schema, where } = address;
  const onQuery = options.onQuery ?? (() => undefined);
  const pool = new pg.Pool({
    ...connection,
    max: POOL_MAX,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    Client: observedClient(onQuery),
  });
  // The pool only handles errors of idle connections. Without a listener, a connection that breaks between two
  // statements of a transaction would end the process; its next statement fails anyway.
  pool.on('connect', (client) => client.on('error', (error) => options.onConnectionLost?.(error)));
  pool.on('error', () => undefined);
  leaveReadOnlyServers(pool);
  try {
    await checkPool(pool, address);
  } catch (thrown) {
    await pool.end();
    throw startupFailure(where, thrown);
  }
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, { schema }),
    transactionOptions: { maxWait: CONNECT_TIMEOUT_MS, timeout: TRANSACTION_TIMEOUT_MS },
  });
  return new Database(prisma, pool);
}

/** Closes the second connection afterwards, which nothing needs yet. */
async function checkPool(pool: pg.Pool, address: DatabaseAddress): Promise<void> {
  const client = await pool.connect();
  try {
    const other = await pool.connect();
    await checkServer([client, other], address).finally(() => other.release(true));
  } finally {
    client.release();
  }
}

/** pg's Client with `onQuery`, which all statements pass, both SQL and Prisma's. */
function observedClient(onQuery: (sql: string) => void): typeof pg.Client {
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  const Observed = class extends pg.Client {};
  Observed.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first] = args;
    onQuery(typeof first === 'string' ? first : String((first as { text?: unknown }).text));
    return query.apply(this, args);
  } as typeof pg.Client.prototype.query;
  return Observed;
}
