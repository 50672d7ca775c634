import pg from 'pg';
import { abortable, delay } from '../src/domain/async.js';
import { CONNECT_TIMEOUT_MS, databaseAddress } from './address.js';

/**
 * Interval of checks of the connection, in ms: one that a firewall has dropped would never fail. Shorter than 350 s,
 * after which common load balancers drop idle connections.
 */
const CHECK_MS = 60_000;

/**
 * Holds a connection outside the pool, for what ends with its session; `begin` is called with it once. Resolves when
 * the signal aborts or the server closes the connection; rejects if it is lost or cannot be opened, or `begin` fails.
 */
export async function holdConnection(
  url: string,
  signal: AbortSignal,
  begin: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const { connection } = databaseAddress(url);
  const client = new pg.Client({ ...connection, query_timeout: CONNECT_TIMEOUT_MS });
  const over = new Promise<void>((resolve, reject) => {
    client.on('error', reject);
    client.on('end', resolve);
  });
  const ended = new AbortController();
  const hold = async (): Promise<void> => {
    await client.connect();
    await begin(client);
    while (!ended.signal.aborted) {
      await delay(CHECK_MS, ended.signal);
      if (!ended.signal.aborted) await client.query('SELECT');
    }
  };
  try {
    await abortable(Promise.race([over, hold()]), signal);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  } finally {
    ended.abort();
    // Not awaited: a server that hangs would not confirm it.
    client.end().catch(() => undefined);
  }
}
