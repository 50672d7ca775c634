import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { StartupError } from '../domain/errors.js';
import { jsonIn } from '../domain/parse/json.js';

/** The document, or its SHA-256 in hex. */
export interface AskedOperation {
  readonly query: unknown;
  readonly sha256: unknown;
}

export class PersistedOperations {
  readonly #documents: ReadonlyMap<string, string>;

  constructor(documents: Iterable<string>) {
    this.#documents = new Map([...documents].map((document) => [sha256Of(document), document]));
  }

  /** The listed document of a request, compared byte by byte; null if it is not listed. */
  find({ query, sha256 }: AskedOperation): string | null {
    if (typeof query === 'string') return this.#documents.get(sha256Of(query)) ?? null;
    return (typeof sha256 === 'string' && this.#documents.get(sha256.toLowerCase())) || null;
  }
}

/** File formats: a list, documents by their hash, and Apollo's manifest. */
const form = z.union([
  z.array(z.string()).transform((documents) => documents.map((document) => [null, document] as const)),
  z
    .object({ operations: z.array(z.object({ id: z.string(), body: z.string() })) })
    .transform(({ operations }) => operations.map(({ id, body }) => [id, body] as const)),
  z.record(z.string(), z.string()).transform((documents) => Object.entries(documents)),
]);

/** Unusable operations listed in an error. */
const MAX_SHOWN = 10;

/**
 * Reads a file of persisted operations. `problemOf` returns why an operation can never succeed, or null. StartupError
 * (78) if the file cannot be read, is empty, or has an operation with a wrong hash or one that can never succeed.
 */
export async function readPersistedOperations(
  path: string,
  problemOf: (document: string) => string | null,
  variable = 'OPERATIONS_FILE',
): Promise<readonly string[]> {
  const refuse = (problem: string, cause?: unknown): never => {
    throw new StartupError(`${variable}: ${path} cannot be used: ${problem}`, 78, { cause });
  };
  const text = await readFile(path, 'utf8').catch((thrown: NodeJS.ErrnoException) => refuse(thrown.message, thrown));
  // Editors of Windows write a byte order mark.
  const parsed = form.safeParse(jsonIn(text.replace(/^\uFEFF/, '')));
  if (!parsed.success) {
    return refuse('it must be JSON: a list of documents, an object of documents by SHA-256, or a manifest of Apollo');
  }
  if (parsed.data.length === 0) return refuse('it has no operation');
  const problems = parsed.data.flatMap(([id, document], place) => {
    const isOther = id !== null && id.toLowerCase() !== sha256Of(document);
    const problem = isOther ? `${id} is not the SHA-256 of its document` : problemOf(document);
    return problem === null ? [] : [`operation ${place + 1}${nameOf(document)}: ${problem}`];
  });
  if (problems.length > MAX_SHOWN) problems.splice(MAX_SHOWN, Infinity, `and ${problems.length - MAX_SHOWN} more`);
  if (problems.length > 0) return refuse(problems.join('; '));
  return parsed.data.map(([, document]) => document);
}

/** ` (Card)`: the operation's name, for messages; empty if it has none. */
function nameOf(document: string): string {
  const name = /\b(?:query|mutation|subscription)\s+(\w+)/.exec(document)?.[1];
  return name === undefined ? '' : ` (${name})`;
}

function sha256Of(document: string): string {
  return createHash('sha256').update(document).digest('hex');
}
