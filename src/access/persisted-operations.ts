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

/** Reads a file of operations. StartupError (78) where it cannot be read, has none, or one whose hash is another's. */
export async function loadPersistedOperations(path: string): Promise<PersistedOperations> {
  const refuse = (problem: string, cause?: unknown): never => {
    throw new StartupError(`the operations in ${path} cannot be used: ${problem}`, 78, { cause });
  };
  const text = await readFile(path, 'utf8').catch((thrown: NodeJS.ErrnoException) =>
    refuse(String(thrown.code), thrown),
  );
  const parsed = form.safeParse(parseJson(text));
  if (!parsed.success) {
    return refuse('it must be JSON: a list of documents, an object of documents by SHA-256, or a manifest of Apollo');
  }
  if (parsed.data.length === 0) return refuse('there is none');
  for (const [id, document] of parsed.data) {
    if (id !== null && id.toLowerCase() !== sha256Of(document)) refuse(`${id} is not the SHA-256 of its document`);
  }
  return new PersistedOperations(parsed.data.map(([, document]) => document));
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
