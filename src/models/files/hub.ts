import { z } from 'zod';
import { within } from '../../domain/async.js';
import { asError } from '../../domain/errors.js';
import { jsonIn } from '../../domain/parse/json.js';

/** Deadline for the start of a response. */
const ANSWER_MS = 30_000;

/** A file of a repository, as the hub lists it. */
export interface HubFile {
  readonly path: string;
  readonly size: number;
  /** SHA-256 for large files; for small ones Git's hash, SHA-1 over `blob <size>\0` and the contents. */
  readonly hash: { readonly kind: 'sha256' | 'git'; readonly hex: string };
}

interface HubRepository {
  readonly revision: string;
  readonly files: readonly HubFile[];
}

const revisionAnswer = z.object({ sha: z.string().regex(/^[0-9a-f]{40}$/) });
const treeAnswer = z.array(
  z.object({
    type: z.string(),
    path: z.string(),
    size: z.number().int().nonnegative(),
    oid: z.string(),
    lfs: z.object({ oid: z.string(), size: z.number().int().nonnegative() }).optional(),
  }),
);

/** A failed download; the message names it. */
export class HubError extends Error {}

/** The Hugging Face hub, or a compatible mirror. */
export class Hub {
  /** @param url without a slash at its end */
  constructor(readonly url: string) {}

  /** The current files of a repository. HubError if it does not exist, or the hub does not answer as a hub does. */
  async list(repository: string, signal: AbortSignal): Promise<HubRepository> {
    const api = `${this.url}/api/models/${repository}`;
    const { sha } = await this.#answer(revisionAnswer, `${api}/revision/main`, repository, signal);
    const tree = await this.#answer(treeAnswer, `${api}/tree/${sha}?recursive=true`, repository, signal);
    const files = tree
      .filter(({ type }) => type === 'file')
      .map(
        ({ path, size, oid, lfs }): HubFile =>
          lfs === undefined
            ? { path, size, hash: { kind: 'git', hex: oid } }
            : { path, size: lfs.size, hash: { kind: 'sha256', hex: lfs.oid } },
      );
    return { revision: sha, files };
  }

  /** The contents of a file from byte `from` on; `from` is 0 in the result if the hub sends the whole file instead. */
  async open(
    { repository, revision, path, from }: { repository: string; revision: string; path: string; from: number },
    signal: AbortSignal,
  ): Promise<{ readonly from: number; readonly body: ReadableStream<Uint8Array> }> {
    const url = `${this.url}/${repository}/resolve/${revision}/${path}`;
    const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
    const response = await this.#fetch(url, repository, headers, signal);
    if (response.body === null) throw new HubError(`${url} has no contents`);
    return { from: response.status === 206 ? from : 0, body: response.body };
  }

  async #answer<T>(schema: z.ZodType<T>, url: string, repository: string, signal: AbortSignal): Promise<T> {
    const response = await this.#fetch(url, repository, {}, signal);
    const text = await response.text().catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new HubError(`the connection to ${this.url} broke off`, { cause });
    });
    const parsed = schema.safeParse(jsonIn(text));
    if (parsed.success) return parsed.data;
    throw new HubError(`${this.url} does not answer as a hub of models; HF_ENDPOINT can name another one`);
  }

  async #fetch(
    url: string,
    repository: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response> {
    const late = (): Error => new HubError(`${this.url} does not answer; HF_ENDPOINT can name a mirror`);
    try {
      // The deadline is for the start of the response; the reader watches the body.
      const response = await within({ ms: ANSWER_MS, late, signal }, (both) =>
        fetch(url, { headers, signal: AbortSignal.any([signal, both]) }),
      );
      if (response.ok) return response;
      await response.body?.cancel();
      if (response.status === 401 || response.status === 404) {
        throw new HubError(`${this.url} has no public model ${repository}`);
      }
      throw new HubError(`${this.url} answered ${response.status} for ${repository}`);
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof HubError) throw thrown;
      const reason = asError(asError(thrown).cause ?? thrown).message;
      throw new HubError(`${this.url} cannot be reached (${reason}); HF_ENDPOINT can name a mirror`, { cause: thrown });
    }
  }
}
