import type { EventEmitter } from 'node:events';
import type pg from 'pg';
import { READ_ONLY } from './errors.js';

/**
 * Closes a connection after the server has refused a write on it as read-only. Once another server is the primary, new
 * connections lead there, but those of a busy pool would stay with the standby.
 */
export function leaveReadOnlyServers(pool: pg.Pool): void {
  const readOnly = new WeakSet<pg.PoolClient>();
  pool.on('connect', (client) => {
    const { connection } = client as pg.PoolClient & { readonly connection: EventEmitter };
    connection.on('errorMessage', ({ code }: pg.DatabaseError) => {
      if (code === READ_ONLY) readOnly.add(client);
    });
  });
  // The pool removes a client that is ending.
  pool.on('release', (_, client) => {
    if (readOnly.has(client)) client.end().catch(() => undefined);
  });
}
