import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkDatabase, checkDataDir } from '../../../../src/cli/doctor/servers.js';
import { parseConfig } from '../../../../src/config/settings.js';
import { migratedDatabase } from '../../../support/database.js';
import { type Folder, makeFolder } from '../../../support/folder.js';

let folder: Folder;
beforeEach(async () => {
  folder = await makeFolder('doctor');
});
afterEach(() => folder.remove());

const checked = (dataDir: string) => checkDataDir(parseConfig({ DATA_DIR: dataDir }));

describe('the doctor, on the data directory', () => {
  test('does not create it', async () => {
    const dataDir = join(folder.path, 'some', 'data');
    expect(await checked(dataDir)).toMatchObject({
      state: 'ok',
      says: `${dataDir} does not exist; a start creates it`,
    });
    expect(existsSync(join(folder.path, 'some'))).toBe(false);
    await mkdir(dataDir, { recursive: true });
    expect(await checked(dataDir)).toMatchObject({ state: 'ok', says: dataDir });
  });

  test('says why it cannot be created', async () => {
    const dataDir = join(await folder.write('file', ''), 'data');
    await expect(checked(dataDir)).rejects.toThrow(`${dataDir} cannot be created: part of the path is a file`);
  });
});

test('the doctor names a database of another version of PostgreSQL, which a start refuses', async () => {
  const config = parseConfig({ DATA_DIR: folder.path });
  await mkdir(join(folder.path, 'postgres', '17'), { recursive: true });
  await expect(checkDatabase(config)).rejects.toThrow('holds a database of PostgreSQL 17');
  await mkdir(join(folder.path, 'postgres', '18'));
  expect(await checkDatabase(config)).toMatchObject({ state: 'ok' });
});

test('the doctor names a server that is read-only, on which a start fails', async () => {
  const { url, drop } = await migratedDatabase();
  try {
    const readOnly = new URL(url);
    readOnly.searchParams.set('options', '-c default_transaction_read_only=on');
    const states = [url, readOnly.href].map((DATABASE_URL) => checkDatabase(parseConfig({ DATABASE_URL })));
    expect((await Promise.all(states)).map(({ state }) => state)).toEqual(['ok', 'problem']);
  } finally {
    await drop();
  }
});
