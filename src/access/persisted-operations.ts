import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { StartupError } from '../domain/errors.js';

/** What a request says of its operation: the document, or the SHA-256 of one, in hex. */
export interface AskedOperation {
  readonly query: unknown;
  readonly sha256: unknown;
}

/** The operations that a gateway answers where it answers no others. */
export class PersistedOperations {
  readonly #documents: ReadonlyMap<string, string>;

  constructor(documents: Iterable<string>) {
    this.#documents = new Map([...documents].map((document) => [sha256Of(document), document]));
  }

  get size(): number {
    return this.#documents.size;
  }

  /** The document that a request asks for, byte by byte a listed one; null where it is none. */
  find({ query, sha256 }: AskedOperation): string | null {
    if (typeof query === 'string') return this.#documents.get(sha256Of(query)) ?? null;
    return (typeof sha256 === 'string' && this.#documents.get(sha256.toLowerCase())) || null;
  }
}

/** The forms in which tools write the operations of a client: a list, documents by their hash, and Apollo's manifest. */
const form = z.union([
  z.array(z.string()).transform((documents) => documents.map((document) => [null, document] as const)),
  z
    .object({ operations: z.array(z.object({ id: z.string(), body: z.string() })) })
    .transform(({ operations }) => operations.map(({ id, body }) => [id, body] as const)),
  z.record(z.string(), z.string()).transform((documents) => Object.entries(documents)),
]);

/** Of the unusable operations of a file, so many are named. */
const MAX_SHOWN = 10;

/**
 * The documents of a file of operations. `problemOf` says why a document can never be answered, or null. StartupError (78) where the file
 * cannot be read, has no operation, one whose hash is another's, or one that can never be answered.
 */
export async function readPersistedOperations(
  path: string,
  problemOf: (document: string) => string | null,
): Promise<readonly string[]> {
  const refuse = (problem: string, cause?: unknown): never => {
    throw new StartupError(`OPERATIONS_FILE: ${path} cannot be used: ${problem}`, 78, { cause });
  };
  const text = await readFile(path, 'utf8').catch((thrown: NodeJS.ErrnoException) =>
    refuse(String(thrown.code), thrown),
  );
  const parsed = form.safeParse(parseJson(text));
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

/** ` (Card)`, by which people find it in the file; nothing where it has no name. */
function nameOf(document: string): string {
  const name = /\b(?:query|mutation)\s+(\w+)/.exec(document)?.[1];
  return name === undefined ? '' : ` (${name})`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sha256Of(document: string): string {
  return createHash('sha256').update(document).digest('hex');
}
