import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { StartupError } from '../domain/errors.js';
import { EXIT, type ExitCode } from '../domain/exit-codes.js';

/** Without a byte order mark. StartupError (66) if the file cannot be read, or is not UTF-8. */
export async function readText(file: string): Promise<string> {
  try {
    const bytes = await readFile(file);
    if (!isUtf8(bytes)) throw new Error('it is not valid UTF-8: save it as UTF-8');
    return new TextDecoder().decode(bytes);
  } catch (cause) {
    throw new StartupError(`${file} cannot be read: ${(cause as Error).message}`, EXIT.input, { cause });
  }
}

/** StartupError (66) if the file does not exist or is not JSON. */
export async function readJson(file: string): Promise<unknown> {
  return parseJson(await readText(file), file);
}

/** A line of a JSON Lines file that is not blank. */
interface JsonLine {
  readonly value: object;
  /** `cards.jsonl: line 3` */
  readonly where: string;
}

/** StartupError (66) with the line that is not an object. */
export async function readJsonLines(file: string): Promise<readonly JsonLine[]> {
  const lines = (await readText(file)).split('\n').entries();
  return [...lines]
    .filter(([, line]) => line.trim() !== '')
    .map(([place, line]) => {
      const where = `${file}: line ${place + 1}`;
      return { value: parseJsonObject(line, where), where };
    });
}

/** Parses a JSON object; `what` names its source, such as `--filter`. StartupError (`exitCode`). */
export function parseJsonObject(text: string, what: string, exitCode: ExitCode = EXIT.input): object {
  const value = parseJson(text, what, exitCode);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new StartupError(`${what} must be a JSON object`, exitCode);
  return value;
}

function parseJson(text: string, what: string, exitCode: ExitCode = EXIT.input): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StartupError(`${what} cannot be read as JSON: ${(cause as Error).message}`, exitCode, { cause });
  }
}
