import { readFile } from 'node:fs/promises';
import { StartupError } from '../domain/errors.js';

/** A file of text that a command was given. StartupError (78) where it cannot be read. */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new StartupError(`${file} cannot be read: ${(cause as Error).message}`, 78, { cause });
  }
}

/** What a file of JSON holds. StartupError (78) where it is not there or not JSON. */
export async function readJson(file: string): Promise<unknown> {
  return parseJson(await readText(file), file);
}

/** The objects of a file of JSON Lines. StartupError (78), which names the line, where one is none. */
export async function readJsonLines(file: string): Promise<readonly object[]> {
  const lines = (await readText(file)).split('\n').entries();
  return [...lines]
    .filter(([, line]) => line.trim() !== '')
    .map(([place, line]) => parseJsonObject(line, `${file}: line ${place + 1}`));
}

/** An object that was given as JSON; `what` is what it was given as, such as `--filter`. StartupError (78) */
export function parseJsonObject(text: string, what: string): object {
  const value = parseJson(text, what);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new StartupError(`${what} must be a JSON object`, 78);
  return value;
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StartupError(`${what} cannot be read as JSON: ${(cause as Error).message}`, 78, { cause });
  }
}
