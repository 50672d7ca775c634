import { expect, test } from 'vitest';
import { openDatabase } from '../../../prisma/client.js';
import { Prisma } from '../../../prisma/generated/client.js';
import { UnavailableError } from '../../../src/domain/errors.js';
import { migratedDatabase } from '../../support/database.js';

test('a connection to a server that has become read-only is closed after the first write that fails', async () => {
  const { url, drop } = await migratedDatabase();
  const database = await openDatabase(url);
  try {
    const write = () => database.execute(Prisma.sql`UPDATE installation SET id = id`);
    // One after the other, so that all statements have the same connection.
    await write();
    await database.execute(Prisma.sql`SET default_transaction_read_only = on`);
    expect(await database.isReadOnly()).toBe(true);
    await expect(write()).rejects.toThrow(UnavailableError);
    expect(await database.isReadOnly()).toBe(false);
    await write();
    const inTransaction = () => database.transaction((tx) => tx.execute(Prisma.sql`UPDATE installation SET id = id`));
    await database.execute(Prisma.sql`SET default_transaction_read_only = on`);
    await expect(inTransaction()).rejects.toThrow('the server is read-only');
    await inTransaction();
  } finally {
    await database.close();
    await drop();
  }
});
