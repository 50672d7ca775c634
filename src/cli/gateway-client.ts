import { StartupError } from '../domain/errors.js';

/** What a gateway answered instead of data. */
export class AnsweredError extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly extensions: Readonly<Record<string, unknown>>,
  ) {
    super(message);
    this.name = 'AnsweredError';
  }
}

/** How connections fail, by the codes of libuv and of undici. */
const CONNECTION_FAILURES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_SOCKET',
]);

interface Answer<T> {
  readonly data?: T;
  readonly errors?: readonly [
    { readonly message: string; readonly extensions: Readonly<Record<string, unknown>> & { readonly code: string } },
  ];
}

/** A running gateway, spoken to over HTTP. */
export class GatewayClient {
  readonly #base: URL;
  readonly #token: string | null;

  /**
   * @param url the address of the gateway, with or without `/graphql`.
   * @param token an API key or a token of whoever asks; null where the gateway asks for none.
   * @throws StartupError (78) where the address is no URL.
   */
  constructor(url: string, token: string | null = null) {
    if (!URL.canParse(url)) throw new StartupError(`--url: ${JSON.stringify(url)} is no URL`, 78);
    this.#base = new URL(url.replace(/\/graphql\/?$/, '/'));
    this.#token = token;
  }

  /** Sends one operation. AnsweredError where it answers errors, StartupError (69) where nobody answers. */
  async ask<T>(query: string, variables: object = {}): Promise<T> {
    const response = await this.#fetch('graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    return answered((await response.json()) as Answer<T>).data as T;
  }

  /**
   * Posts a body to a route of files. AnsweredError where it is refused; the signal's reason where that aborts, and what fetch throws
   * where the body cannot be read.
   */
  async post(route: string, init: RequestInit & { readonly duplex?: 'half' }): Promise<Response> {
    const response = await this.#fetch(route, { method: 'POST', ...init });
    if (!response.ok) answered((await response.json()) as Answer<never>);
    return response;
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.#token !== null) headers.set('authorization', `Bearer ${this.#token}`);
    try {
      return await fetch(new URL(path, this.#base), { ...init, headers });
    } catch (thrown) {
      init.signal?.throwIfAborted();
      if (!isOfConnection(thrown)) throw thrown;
      throw new StartupError(`no gateway answers at ${this.#base.origin}`, 69, { cause: thrown });
    }
  }
}

function answered<T>(answer: Answer<T>): Answer<T> {
  const [error] = answer.errors ?? [];
  if (error === undefined) return answer;
  throw new AnsweredError(error.message, error.extensions.code, error.extensions);
}

/** Whether what fetch threw is about the connection: a body that cannot be read fails in the same way. */
function isOfConnection(thrown: unknown): boolean {
  const { cause } = thrown as Error;
  return CONNECTION_FAILURES.has((cause as NodeJS.ErrnoException | undefined)?.code);
}
