import { COMMAND_OPERATIONS, type CommandOperation } from '../access/command-operations.js';
import { StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';

/** Codes of a gateway that is too busy, or lacks a server, for the moment. */
const TEMPORARY: ReadonlySet<string> = new Set([
  'RATE_LIMITED',
  'UNAVAILABLE',
  'RESOURCE_EXHAUSTED',
  'DEADLINE_EXCEEDED',
]);

/** The gateway answered with an error instead of data. */
export class AnsweredError extends Error {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
    this.name = 'AnsweredError';
  }

  /** Whether the same query may be answered later; a change may have been made. */
  get isTemporary(): boolean {
    return TEMPORARY.has(this.code);
  }
}

/** Codes of connection failures, of libuv and undici. */
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

/** Codes of TLS failures that do not begin with ERR_SSL_ or ERR_TLS_: those of certificates. */
const CERTIFICATE_FAILURES: ReadonlySet<unknown> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** By code. A gateway with an OPERATIONS_FILE knows the operations of the command line of its own version. */
const HINTS: Readonly<Record<string, string>> = {
  PERSISTED_QUERY_NOT_FOUND: ': run the command line of the version that the gateway runs',
  UNAUTHENTICATED: ' (the command line sends what ERRATA_TOKEN has)',
};

/** What GraphQL answers, or sends as an event. */
export interface Answer<T> {
  readonly data?: T | null;
  readonly errors?: readonly [{ readonly message: string; readonly extensions?: { readonly code: string } }];
}

export class GatewayClient {
  readonly #base: URL;
  readonly #token: string | null;

  /**
   * @param url the address of the gateway, with or without `/graphql`; it may have a path of its own.
   * @param token an API key or a JWT; null for a gateway without authentication.
   * @throws StartupError (64) if the address is not a URL of HTTP, or has a user name or password.
   */
  constructor(url: string, token: string | null = null) {
    const base = URL.canParse(url) ? new URL(url) : null;
    // Not printed: it may have a password. fetch refuses such a URL with all of it in the message.
    if (/^([^/]*\/\/)?[^/]*@/.test(url) || base?.username || base?.password) {
      throw new StartupError('--url: the address must have no user name or password: use ERRATA_TOKEN', EXIT.usage);
    }
    // `localhost:4000` is a URL with the scheme `localhost`.
    if (base === null || !/^https?:$/.test(base.protocol)) {
      const problem = `${JSON.stringify(url)} is not a URL that begins with http:// or https://`;
      throw new StartupError(`--url: ${problem}`, EXIT.usage);
    }
    base.pathname = base.pathname.replace(/(\/graphql)?\/?$/, '/');
    this.#base = base;
    this.#token = token;
  }

  /**
   * Sends an operation of the command line. AnsweredError if the response has errors, StartupError (69) if there is
   * none.
   */
  ask<T>(operation: CommandOperation, variables: object = {}): Promise<T> {
    return this.send(COMMAND_OPERATIONS[operation], variables);
  }

  /** {@link ask} with any document; a gateway with an OPERATIONS_FILE may refuse it. */
  async send<T>(query: string, variables: object = {}): Promise<T> {
    const response = await this.#fetch('graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    return (await this.#answer<T>(response)).data as T;
  }

  /**
   * Posts a body to a file route. AnsweredError if it is refused; the signal's reason if that aborts; fetch's error if
   * the body cannot be read.
   */
  async post(route: string, init: RequestInit & { readonly duplex?: 'half' }): Promise<Response> {
    const response = await this.#fetch(route, { method: 'POST', ...init });
    if (!response.ok) await this.#answer(response);
    return response;
  }

  /** As {@link post}, for a file. StartupError (69) if the answer is none, such as the log-in page of a proxy. */
  async download(route: string, init: RequestInit): Promise<Response> {
    const response = await this.post(route, init);
    if (response.headers.has('content-disposition')) return response;
    await response.body?.cancel();
    throw this.#notGateway();
  }

  /** The body of a response. StartupError (69) if it is not JSON, or not whole. */
  json(response: Response): Promise<unknown> {
    return response.json().catch((thrown: unknown) => {
      if (thrown instanceof SyntaxError) throw this.#notGateway({ cause: thrown });
      return closedBefore('its answer was complete')(thrown);
    });
  }

  /** StartupError (69) if the response is not a gateway's, or not whole. */
  async #answer<T>(response: Response): Promise<Answer<T>> {
    const body = await this.json(response);
    if (typeof body !== 'object' || body === null || !('data' in body || 'errors' in body)) throw this.#notGateway();
    return answered(body as Answer<T>);
  }

  #notGateway(options?: ErrorOptions): StartupError {
    return new StartupError(`the server at ${this.#base.origin} is not an Errata gateway`, EXIT.unavailable, options);
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.#token !== null) headers.set('authorization', `Bearer ${this.#token}`);
    try {
      // A gateway never redirects; a proxy does, to its log-in page, which would be taken for the answer.
      return await fetch(new URL(path, this.#base), { ...init, headers, redirect: 'manual' });
    } catch (thrown) {
      init.signal?.throwIfAborted();
      if (!isOfConnection(thrown)) throw thrown;
      const problem = tlsProblem(thrown);
      const why = problem === null ? '' : `: ${problem}`;
      throw new StartupError(`no gateway answers at ${this.#base.origin}${why}`, EXIT.unavailable, { cause: thrown });
    }
  }
}

/** The answer, if it has data. AnsweredError if it has errors. */
export function answered<T>(answer: Answer<T>): Answer<T> {
  const [error] = answer.errors ?? [];
  if (error === undefined) return answer;
  const { code = 'UNKNOWN' } = error.extensions ?? {};
  throw new AnsweredError(error.message + (HINTS[code] ?? ''), code);
}

/** For `catch`: StartupError (69) if the connection broke in the middle of a response; rethrows any other error. */
export function closedBefore(what: string): (thrown: unknown) => never {
  return (thrown) => {
    if (!isOfConnection(thrown)) throw thrown;
    throw new StartupError(`the gateway closed the connection before ${what}`, EXIT.unavailable, { cause: thrown });
  };
}

/** True for a connection failure; fetch rejects in the same way if the body cannot be read. */
function isOfConnection(thrown: unknown): boolean {
  const { code, message } = causeOf(thrown);
  // fetch refuses the ports of other protocols.
  return CONNECTION_FAILURES.has(code) || message === 'bad port' || tlsProblem(thrown) !== null;
}

/** Why no TLS connection was made, such as `self-signed certificate`; null if the failure is another one. */
function tlsProblem(thrown: unknown): string | null {
  const { code = '', message, reason } = causeOf(thrown);
  // Messages of OpenSSL have several lines, and their reason apart.
  return CERTIFICATE_FAILURES.has(code) || /^ERR_(SSL|TLS)_/.test(code) ? (reason ?? message) : null;
}

function causeOf(thrown: unknown): NodeJS.ErrnoException & { readonly reason?: string } {
  return ((thrown as Error).cause ?? {}) as NodeJS.ErrnoException;
}

export interface Page<T> {
  readonly nodes: readonly T[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** All entries of a list; `read` returns the page after a cursor. */
export async function* entriesOf<T>(read: (after: string | null) => Promise<Page<T>>): AsyncGenerator<T, void> {
  for (let after: string | null = null; ; ) {
    const { nodes, pageInfo }: Page<T> = await read(after);
    yield* nodes;
    if (!pageInfo.hasNextPage) return;
    after = pageInfo.endCursor;
  }
}
