import pg from 'pg';
import { abortable } from '../src/domain/async.js';
import { asError } from '../src/domain/errors.js';

/**
 * Runs `work`, which begins a transaction that changes nothing, on a connection of the pool, and ends the transaction. Once the
 * signal aborts, it rejects with the signal's reason, whatever it waits for; a statement that runs then is given up by the server.
 */
export function cancellable<T>(
  pool: pg.Pool,
  signal: AbortSignal | undefined,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const outcome = onConnection(pool, signal, work);
  return signal === undefined ? outcome : abortable(outcome, signal);
}

async function onConnection<T>(
  pool: pg.Pool,
  signal: AbortSignal | undefined,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let cancelled: Promise<Error | undefined> | undefined;
  const onAbort = (): void => {
    cancelled = cancel(pool, client).then(() => undefined, asError);
  };
  try {
    signal?.throwIfAborted();
    signal?.addEventListener('abort', onAbort, { once: true });
    return await work(client);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // Nothing was changed, so the answer need not wait for the end.
    void giveBack(client, cancelled);
  }
}

/** Ends the transaction and gives the connection back, never before it is settled whom a cancellation meets. */
async function giveBack(client: pg.PoolClient, cancelled: Promise<Error | undefined> | undefined): Promise<void> {
  try {
    const failure = await cancelled;
    if (failure !== undefined) throw failure;
    await client.query('ROLLBACK');
    client.release();
  } catch (thrown) {
    // A connection that cannot end its transaction is closed, and the server ends it.
    client.release(asError(thrown));
  }
}

/** Tells the server to give up what the connection runs: on another connection, as those of the pool may all be at work. */
async function cancel(pool: pg.Pool, client: pg.PoolClient): Promise<void> {
  const { processID } = client as pg.PoolClient & { readonly processID: number };
  const other = new pg.Client(pool.options);
  // A connection that breaks would end the process if nobody heard of it; what it was asked fails by itself.
  other.on('error', () => undefined);
  await other.connect();
  try {
    await other.query('SELECT pg_cancel_backend($1)', [processID]);
  } finally {
    await other.end();
  }
}
