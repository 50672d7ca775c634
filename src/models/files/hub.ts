import { z } from 'zod';
import { within } from '../../domain/async.js';
import { asError } from '../../domain/errors.js';

/** Deadline for the start of a response. */
const ANSWER_MS = 30_000;

/** A file of a repository, as the hub lists it. */
export interface HubFile {
  readonly path: string;
  readonly size: number;
  /** SHA-256 for large files; for small ones Git's hash, SHA-1 over `blob <size>\0` and the contents. */
  readonly hash: { readonly kind: 'sha256' | 'git'; readonly hex: string };
}

/** A repository at one commit. */
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

  /** The current files of a repository. HubError if it does not exist or the hub does not answer. */
  async list(repository: string, signal: AbortSignal): Promise<HubRepository> {
    const api = `${this.url}/api/models/${repository}`;
    const { sha } = revisionAnswer.parse(await this.#json(`${api}/revision/main`, repository, signal));
    const tree = treeAnswer.parse(await this.#json(`${api}/tree/${sha}?recursive=true`, repository, signal));
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

  async #json(url: string, repository: string, signal: AbortSignal): Promise<unknown> {
    return (await this.#fetch(url, repository, {}, signal)).json();
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
