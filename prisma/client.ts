import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { abortable, delay, once } from '../src/domain/async.js';
import { asError, StartupError } from '../src/domain/errors.js';
import type { Viewer } from '../src/domain/viewer.js';
import { CONNECT_TIMEOUT_MS, databaseAddress } from './address.js';
import { failureOf, startupFailure, translated } from './errors.js';
import { type Prisma, PrismaClient } from './generated/client.js';
import type { Queries, Statements, ViewerDatabase } from './statements.js';
import { actAs, queryAs } from './viewer-role.js';

/** Connections kept at most. PostgreSQL's default is 100 for all clients, and a statement here takes milliseconds. */
const POOL_MAX = 10;

/** An idle connection is closed after this, in ms, so that a quiet gateway holds none. */
const IDLE_TIMEOUT_MS = 60_000;

/** A statement is ended by the server after this, in ms: far above the slowest (a rebuild marks 100,000 cards in 1-2 s). */
const STATEMENT_TIMEOUT_MS = 30_000;

/** A statement without any answer after this, in ms, means that the server is gone, not slow. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/**
 * Prisma's own limit on a transaction, in ms. It must never strike: a transaction that it ends during COMMIT can take the
 * process down. The statement limits above strike first.
 */
const TRANSACTION_TIMEOUT_MS = 10 * ANSWER_TIMEOUT_MS;

/** Attempts at a transaction that failed through no fault of its own, the first included. */
const TRANSACTION_ATTEMPTS = 3;

/** PostgreSQL 15, the oldest that the tests run on. */
const OLDEST_SERVER = 150_000;

/** Who hears what the connections do. */
export interface DatabaseOptions {
  /** Called once for each statement sent, BEGIN and COMMIT among them. */
  readonly onQuery?: (sql: string) => void;
  /** Called when a connection breaks between two statements; the next one fails or opens another. */
  readonly onConnectionLost?: (error: Error) => void;
}

/**
 * An open database. Every failure of the server comes out as UnavailableError (`database`). Its own statements are held by no
 * policy: they are for the gateway's own work, which is nobody's. What a viewer asks or changes goes through {@link Database.as}.
 */
export class Database implements Statements {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: pg.Pool,
  ) {}

  query<Row>(sql: Prisma.Sql): Promise<Row[]> {
    return this.run((prisma) => prisma.$queryRaw<Row[]>(sql));
  }

  /** Questions of which none is waited for once the signal has aborted; what was asked goes on until its own limit. */
  until(signal: AbortSignal | undefined): Queries {
    if (signal === undefined) return this;
    return { query: <Row>(sql: Prisma.Sql) => abortable(this.query<Row>(sql), signal) };
  }

  execute(sql: Prisma.Sql): Promise<number> {
    return this.run((prisma) => prisma.$executeRaw(sql));
  }

  /** Prisma's own queries. */
  async run<T>(work: (prisma: PrismaClient) => Promise<T>): Promise<T> {
    try {
      return await work(this.prisma);
    } catch (thrown) {
      throw translated(thrown);
    }
  }

  /**
   * Runs `work` in one transaction (READ COMMITTED). It is run again when the server rolled it back for the sake of another
   * one, or when the connection broke before COMMIT was sent. After that nobody knows whether it was applied, so it is not
   * repeated: the caller hears UnavailableError. `work` must therefore have no effect outside the transaction.
   */
  async transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      let committing = false;
      try {
        return await this.prisma.$transaction(
          async (tx) => {
            const result = await work({
              query: <Row>(sql: Prisma.Sql) => tx.$queryRaw<Row[]>(sql),
              execute: (sql) => tx.$executeRaw(sql),
            });
            committing = true;
            return result;
          },
          { maxWait: CONNECT_TIMEOUT_MS, timeout: TRANSACTION_TIMEOUT_MS },
        );
      } catch (thrown) {
        const failure = failureOf(thrown);
        const again = failure === 'collision' || (failure === 'connection' && !committing);
        if (!again || attempt === TRANSACTION_ATTEMPTS) throw translated(thrown);
        // Two transactions that collided must not meet again at once.
        await delay(Math.random() * 20 * attempt);
      }
    }
  }

  /**
   * The same database on behalf of a viewer. Once the signal aborts, a question rejects with its reason and the server gives it
   * up; a transaction that has not come to its COMMIT by then is rolled back.
   */
  as(viewer: Viewer, signal?: AbortSignal): ViewerDatabase {
    const transaction: ViewerDatabase['transaction'] = (work) =>
      this.transaction(async (tx) => {
        await actAs(tx, viewer);
        const result = await work(tx);
        signal?.throwIfAborted();
        return result;
      });
    return {
      query: async <Row>(sql: Prisma.Sql) => {
        try {
          return await queryAs<Row>(this.pool, viewer, sql, signal);
        } catch (thrown) {
          throw signal?.aborted ? asError(signal.reason) : translated(thrown);
        }
      },
      execute: (sql) => transaction((tx) => tx.execute(sql)),
      transaction,
    };
  }

  /** Waits for the statements that run, then closes every connection. */
  readonly close = once(async () => {
    await this.prisma.$disconnect();
    await this.pool.end();
  });
}

/**
 * Connects to the server that `url` names and answers when it can be used. StartupError (69) within 5 s where it cannot be
 * reached, refuses the user or has no such database; (78) where it is older than PostgreSQL 15.
 */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  const { connection, schema, where } = databaseAddress(url);
  const onQuery = options.onQuery ?? (() => undefined);
  const pool = new pg.Pool({
    ...connection,
    max: POOL_MAX,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    Client: observedClient(onQuery),
  });
  // The pool hears of a connection only while nobody uses it. One that breaks between two statements of a transaction would
  // end the process if nobody heard of it; its next statement fails by itself.
  pool.on('connect', (client) => client.on('error', (error) => options.onConnectionLost?.(error)));
  pool.on('error', () => undefined);
  try {
    const { rows } = await pool.query<{ server_version_num: string }>('SHOW server_version_num');
    if (Number(rows[0]?.server_version_num) < OLDEST_SERVER) {
      throw new StartupError(`PostgreSQL at ${where} is too old: 15 or newer is needed`, 78);
    }
  } catch (thrown) {
    await pool.end();
    throw startupFailure(where, thrown);
  }
  return new Database(new PrismaClient({ adapter: new PrismaPg(pool, { schema }) }), pool);
}

/** pg's Client, telling `onQuery` of each statement: the one place that all of them pass, raw ones and Prisma's own. */
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
