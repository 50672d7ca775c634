import type pg from 'pg';
import { abortable, type Closers, delay } from '../src/domain/async.js';
import { BackgroundLoop } from '../src/domain/background-loop.js';
import { StartupError, UnavailableError } from '../src/domain/errors.js';
import { EXIT } from '../src/domain/exit-codes.js';
import type { Log } from '../src/domain/ports/log.js';
import { databaseAddress } from './address.js';
import { startupFailure, translated } from './errors.js';
import { holdConnection } from './hold-connection.js';

/** The class of the advisory locks; the object is the schema. */
const GATEWAYS_LOCK = 72707370;

/** Time for the server to notice that the connections of a killed gateway are closed, in ms. */
const WAIT_MS = 2_000;
const RETRY_MS = 100;

/** Wait before a lost lock is tried again, in ms. */
const RETAKE_MS = 1_000;

/** The name of the session that holds the lock says which Chroma its gateway uses. PostgreSQL keeps 63 bytes of it. */
const SESSION_NAME = 'errata, Chroma at ';

/** After 20 s the server ends the session of a machine that has vanished. */
const KEEP_ALIVE = 'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 2';

export interface EnteringParts {
  /** The address of the configured Chroma, for messages; null: the index is in one that no other gateway can use. */
  readonly chroma: string | null;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly closers: Closers;
  readonly signal: AbortSignal;
}

export interface Entered {
  /** The configured Chroma of a gateway that entered before this one, if it has another address; null otherwise. */
  readonly olderChroma: () => Promise<string | null>;
}

/**
 * Takes a session lock on the database: exclusive with an embedded Chroma, shared otherwise. Gateways with different
 * Chromas would miss each other's collections and rebuild the index over and over. StartupError: 75 if the lock is
 * held, 69 if the server is unavailable. The lock is lost with its connection, and taken again as soon as possible; the
 * gateway keeps running meanwhile.
 */
export async function enterDatabase(url: string, { closers, signal, ...parts }: EnteringParts): Promise<Entered> {
  const lock = new GatewaysLock(url, parts);
  closers.add('lock of the database', lock.close);
  try {
    await abortable(lock.take(), signal);
    return { olderChroma: () => lock.olderChroma() };
  } catch (thrown) {
    await lock.close();
    if (signal.aborted) throw thrown;
    throw startupFailure(databaseAddress(url).where, thrown);
  }
}

class GatewaysLock {
  readonly #loop = new BackgroundLoop({
    pass: async (_, signal) => {
      await holdConnection(this.url, signal, async (client) => {
        await this.#lock(client, signal);
        this.#client = client;
        this.#taken();
      });
      throw new UnavailableError('database', 'the server ended the connection');
    },
    onFailure: (error) => {
      this.#failed(error);
      return RETAKE_MS;
    },
  });
  readonly close = this.#loop.close;
  #first: { resolve(): void; reject(error: Error): void } | undefined;
  /** What was logged since the lock was last held. */
  #problem: string | undefined;
  /** The session that holds the lock, or held it last. */
  #client: pg.Client | undefined;

  constructor(
    private readonly url: string,
    private readonly parts: Pick<EnteringParts, 'chroma' | 'log'>,
  ) {}

  /** The outcome of the first attempt; rejects if the lock is closed before. */
  take(): Promise<void> {
    const taken = new Promise<void>((resolve, reject) => {
      this.#first = { resolve, reject };
    });
    this.#loop.start();
    return abortable(taken, this.#loop.signal);
  }

  /** Null also if the session is lost, or the other gateway has another user, whose session names are not shown. */
  async olderChroma(): Promise<string | null> {
    const { schema } = databaseAddress(this.url);
    const found = await this.#client
      ?.query<{ readonly name: string }>(
        `SELECT other.application_name AS name
        FROM pg_stat_activity own, pg_locks l JOIN pg_stat_activity other USING (pid)
        WHERE own.pid = pg_backend_pid() AND l.locktype = 'advisory' AND l.granted AND l.database = own.datid
          AND l.classid = ${GATEWAYS_LOCK} AND l.objid = hashtext($1)::oid AND other.backend_start < own.backend_start
          AND other.application_name <> own.application_name AND starts_with(other.application_name, $2)
        ORDER BY other.backend_start LIMIT 1`,
        [schema, SESSION_NAME],
      )
      .catch(() => null);
    return found?.rows[0]?.name.slice(SESSION_NAME.length) ?? null;
  }

  async #lock(client: pg.Client, signal: AbortSignal): Promise<void> {
    const { chroma } = this.parts;
    const hasOwnChroma = chroma === null;
    const { schema, where } = databaseAddress(this.url);
    const lock = hasOwnChroma ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
    await client.query(KEEP_ALIVE);
    if (!hasOwnChroma) await client.query(`SELECT set_config('application_name', $1, false)`, [SESSION_NAME + chroma]);
    for (const endMs = performance.now() + WAIT_MS; ; await delay(RETRY_MS, signal)) {
      const { rows } = await client.query(`SELECT ${lock}(${GATEWAYS_LOCK}, hashtext($1)) AS taken`, [schema]);
      if (rows[0].taken) return;
      signal.throwIfAborted();
      if (performance.now() < endMs) continue;
      const others = hasOwnChroma ? 'another gateway uses it' : 'a gateway with an embedded Chroma uses it';
      const remedy = 'set CHROMA_URL of all its gateways to one server';
      throw new StartupError(`PostgreSQL at ${where} cannot be used: ${others}; ${remedy}`, EXIT.retry);
    }
  }

  #taken(): void {
    this.#first?.resolve();
    this.#first = undefined;
    if (this.#problem !== undefined) this.parts.log.info({}, 'the lock of the database is held again');
    this.#problem = undefined;
  }

  /** Logs each problem once until the lock is held again. */
  #failed(err: Error): void {
    if (this.#first !== undefined) {
      this.#first.reject(err);
      return;
    }
    const isHeld = err instanceof StartupError;
    const problem = isHeld ? 'another gateway has taken the database' : 'the lock of the database was lost';
    if (this.#problem !== problem) this.parts.log[isHeld ? 'error' : 'warn']({ err: translated(err) }, problem);
    this.#problem = problem;
  }
}
