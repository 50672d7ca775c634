import pg from 'pg';
import { abortable } from '../src/domain/async.js';
import { asError } from '../src/domain/errors.js';

/**
 * Runs `work`, a read-only transaction, on a connection of the pool, and ends the transaction if it fails. Rejects with
 * the signal's reason once that aborts; the server cancels a running statement.
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
  let isOpen = true;
  const onAbort = (): void => {
    cancelled = cancelStatement(pool.options, client).then(() => undefined, asError);
  };
  try {
    signal?.throwIfAborted();
    signal?.addEventListener('abort', onAbort, { once: true });
    const result = await work(client);
    isOpen = false;
    return result;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // The caller need not wait for the end of a read-only transaction.
    void giveBack(client, { isOpen, cancelled });
  }
}

/**
 * Ends the transaction, if it is open, and returns the connection to the pool, but not before a cancellation has
 * arrived: it must not cancel a statement of the connection's next user.
 */
async function giveBack(
  client: pg.PoolClient,
  { isOpen, cancelled }: { readonly isOpen: boolean; readonly cancelled: Promise<Error | undefined> | undefined },
): Promise<void> {
  try {
    const failure = await cancelled;
    if (failure !== undefined) throw failure;
    if (isOpen) await client.query('ROLLBACK');
    client.release();
  } catch (thrown) {
    // If the transaction cannot be ended, the connection is closed, and the server ends the transaction.
    client.release(asError(thrown));
  }
}

/** Cancels the statement of a connection through a new one: those of a pool may all be busy. */
export async function cancelStatement(connection: pg.ClientConfig, client: pg.ClientBase): Promise<void> {
  const { processID } = client as pg.ClientBase & { readonly processID: number | null };
  if (processID === null) return;
  const other = new pg.Client(connection);
  // Without a listener, an error between statements would end the process; the statements fail anyway.
  other.on('error', () => undefined);
  await other.connect();
  try {
    await other.query('SELECT pg_cancel_backend($1)', [processID]);
  } finally {
    await other.end();
  }
}
