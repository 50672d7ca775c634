import pg from 'pg';
import { abortable, type Closers, delay } from '../src/domain/async.js';
import { StartupError } from '../src/domain/errors.js';
import { EXIT } from '../src/domain/exit-codes.js';
import type { Log } from '../src/domain/ports/log.js';
import { databaseAddress } from './address.js';
import { startupFailure } from './errors.js';

/** The class of the advisory locks; the object is the schema. */
const GATEWAYS_LOCK = 72707370;

/** Time for the server to notice that the connections of a killed gateway are closed, in ms. */
const WAIT_MS = 2_000;
const RETRY_MS = 100;

/** After 20 s the server ends the session of a machine that has vanished. */
const KEEP_ALIVE = 'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 2';

export interface EnteringParts {
  /** True: the index is in a Chroma that no other gateway can use. */
  readonly hasOwnChroma: boolean;
  readonly log: Pick<Log, 'warn'>;
  readonly closers: Closers;
  readonly signal: AbortSignal;
}

/**
 * Takes a session lock on the database: exclusive with an embedded Chroma, shared otherwise. Gateways with different
 * Chromas would miss each other's collections and rebuild the index over and over. Checked only at the start: the lock
 * is lost with its connection. StartupError: 75 if the lock is held, 69 if the server is unavailable.
 */
export async function enterDatabase(url: string, { hasOwnChroma, log, closers, signal }: EnteringParts): Promise<void> {
  const { connection, schema, where } = databaseAddress(url);
  const client = new pg.Client(connection);
  // Without a listener, the loss of the connection would end the process.
  client.on('error', ({ message }) => log.warn({ reason: message }, 'the lock of the database was lost'));
  closers.add('lock of the database', async () => {
    // Not awaited: a server that hangs would not confirm it.
    client.end().catch(() => undefined);
  });
  const lock = hasOwnChroma ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
  const work = async (): Promise<void> => {
    await client.connect();
    await client.query(KEEP_ALIVE);
    for (const until = performance.now() + WAIT_MS; ; await delay(RETRY_MS, signal)) {
      const { rows } = await client.query(`SELECT ${lock}(${GATEWAYS_LOCK}, hashtext($1)) AS taken`, [schema]);
      if (rows[0].taken) return;
      signal.throwIfAborted();
      if (performance.now() < until) continue;
      const others = hasOwnChroma ? 'another gateway uses it' : 'a gateway with an embedded Chroma uses it';
      const remedy = 'set CHROMA_URL of all its gateways to one server';
      throw new StartupError(`PostgreSQL at ${where} cannot be used: ${others}; ${remedy}`, EXIT.retry);
    }
  };
  try {
    await abortable(work(), signal);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    throw startupFailure(where, thrown);
  }
}
