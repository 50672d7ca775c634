import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A temporary folder of a test. */
export interface Folder {
  readonly path: string;
  /** Writes a file; answers its path. */
  write(name: string, content: string | Uint8Array): Promise<string>;
  /** Removes the folder with all that is in it. */
  remove(): Promise<void>;
}

/** `name` says in the temporary directory whose folder it is. */
export async function makeFolder(name = 'test'): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), `errata-${name}-`));
  return {
    path,
    async write(file, content) {
      await writeFile(join(path, file), content);
      return join(path, file);
    },
    remove: () => removeFolder(path),
  };
}

/** A folder for the tests of a file, removed after the last of them. */
export async function folderOfFile(name: string): Promise<Folder> {
  const folder = await makeFolder(name);
  afterAll(folder.remove);
  return folder;
}

/** A server that has just ended may still be writing. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5 });
}
