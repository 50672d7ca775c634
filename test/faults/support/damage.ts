import { open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** One way in which the files of a Chroma that does not run are damaged. */
export interface Damage {
  readonly name: string;
  readonly to: (folder: string) => Promise<void>;
}

/** Damage to the files of the graphs, which Chroma writes once there are enough records, and to its database. */
export const DAMAGES: readonly Damage[] = [
  { name: 'the list of its records is cut off', to: (folder) => each(folder, 'index_metadata.pickle', halve) },
  { name: 'the head of its graph is cut off', to: (folder) => each(folder, 'header.bin', (file) => truncate(file, 4)) },
  { name: 'its graph is cut off', to: (folder) => each(folder, 'data_level0.bin', halve) },
  {
    name: 'its graph has other bytes',
    to: (folder) => each(folder, 'data_level0.bin', (file) => overwrite(file, 1_000)),
  },
  { name: 'the folder of its graph is gone', to: (folder) => each(folder, 'header.bin', removeFolderOf) },
  { name: 'its database is cut off', to: (folder) => each(folder, 'chroma.sqlite3', halve) },
  {
    name: 'its database has other bytes',
    to: (folder) => each(folder, 'chroma.sqlite3', (file) => overwrite(file, 0)),
  },
  { name: 'its database is gone', to: (folder) => each(folder, 'chroma.sqlite3', (file) => rm(file)) },
];

/** The damage of this name. */
export function damageOf(name: string): Damage {
  const found = DAMAGES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no damage called ${name}`);
  return found;
}

async function each(folder: string, name: string, damage: (file: string) => Promise<void>): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name === name);
  if (files.length === 0) throw new Error(`there is no ${name} in ${folder}: nothing was damaged`);
  for (const file of files) await damage(join(file.parentPath, file.name));
}

async function halve(file: string): Promise<void> {
  await truncate(file, Math.floor((await stat(file)).size / 2));
}

async function removeFolderOf(file: string): Promise<void> {
  await rm(dirname(file), { recursive: true });
}

/** 64 bytes of every 4 kB, from the place on. */
async function overwrite(file: string, from: number): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    for (let at = from; at + 64 <= size; at += 4_096) await handle.write(Buffer.alloc(64, 0xaa), 0, 64, at);
  } finally {
    await handle.close();
  }
}
