import type { Operation } from '../generated/operations.js';

/** What the gateway, or the way to it, answered instead of data. */
export class ApiError extends Error {
  constructor(
    /** As in the docs: BAD_USER_INPUT, CONFLICT, ...; OFFLINE: no answer; FILE_CHANGED: a file cannot be read. */
    readonly code: string,
    message: string,
    /** Which argument was refused, such as `input.questionText`. */
    readonly field: string | null = null,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

/** Whatever was thrown, as an error that a page can show. */
export function asApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : new ApiError('INTERNAL', String(thrown));
}

/** Waits for what takes a change back. NOT_FOUND: that is done already, such as by a request whose answer was lost. */
export async function takenBack(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (thrown) {
    if (asApiError(thrown).code !== 'NOT_FOUND') throw thrown;
  }
}

export interface Api {
  /** Sends one operation. ApiError; AbortError where the signal aborts. */
  run<Result, Variables>(
    operation: Operation<Result, Variables>,
    variables: Variables,
    signal?: AbortSignal,
  ): Promise<Result>;
  /** As `run`, for a change of a card: sent again with the same key and variables, it is made once. */
  runOnce<Result, Variables>(
    key: string,
    operation: Operation<Result, Variables>,
    variables: Variables,
  ): Promise<Result>;
  /** A documented HTTP route, such as `export`. ApiError. */
  fetch(path: string, init: RequestInit): Promise<Response>;
  /**
   * The time by the gateway's clock, never ahead of it; behind by up to a second and the duration of a request. Null
   * before a response with a date.
   */
  now(): Date | null;
}

/** Slower responses do not tell the gateway's time: the page may have been suspended before it received them. */
const MAX_ROUND_TRIP_MS = 5_000;

interface Refusal {
  readonly message: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/**
 * The gateway that served the page, asked with a credential where there is one. `onUnauthenticated`: it is not accepted
 * any more.
 */
export function connect(token: string | null, onUnauthenticated: () => void): Api {
  const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  /** By how much the clock of the device is ahead of the gateway's; null before a response that tells. */
  let aheadMs: number | null = null;
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = headersOf({ ...(init.headers as Record<string, string>), ...authorization });
    const sentAt = Date.now();
    try {
      // Relative: a proxy may serve the gateway below a prefix.
      const response = await fetch(path, { ...init, headers });
      const at = Date.parse(response.headers.get('date') ?? '');
      const receivedAt = Date.now();
      if (!Number.isNaN(at) && receivedAt - sentAt < MAX_ROUND_TRIP_MS) aheadMs = receivedAt - at;
      return response;
    } catch (thrown) {
      if (init.signal?.aborted) throw thrown;
      if (init.body instanceof Blob && !(await isReadable(init.body))) throw new ApiError('FILE_CHANGED', '');
      throw new ApiError('OFFLINE', thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  const refused = (refusals: readonly Refusal[]): ApiError => {
    const [first] = refusals;
    const { code = 'INTERNAL', field, retryAfterMs } = first?.extensions ?? {};
    if (code === 'UNAUTHENTICATED') onUnauthenticated();
    return new ApiError(
      String(code),
      first?.message ?? '',
      typeof field === 'string' ? field : null,
      typeof retryAfterMs === 'number' ? retryAfterMs : null,
    );
  };
  async function ask<Result, Variables>(
    { text, name }: Operation<Result, Variables>,
    variables: Variables,
    init: RequestInit,
  ): Promise<Result> {
    const response = await send('graphql', {
      ...init,
      method: 'POST',
      headers: { ...(init.headers as Record<string, string>), 'content-type': 'application/json' },
      body: JSON.stringify({ query: text, variables, operationName: name }),
    });
    const { data, errors } = await bodyOf(response);
    if (errors !== undefined && errors.length > 0) throw refused(errors);
    if (data == null) throw new ApiError('INTERNAL', `${response.status}`);
    return data as Result;
  }
  return {
    now: () => (aheadMs === null ? null : new Date(Date.now() - aheadMs)),
    run: (operation, variables, signal) => ask(operation, variables, signal ? { signal } : {}),
    runOnce: (key, operation, variables) => ask(operation, variables, { headers: { 'idempotency-key': key } }),
    async fetch(path, init) {
      const response = await send(path, init);
      if (response.ok) return response;
      throw refused((await bodyOf(response)).errors ?? []);
    },
  };
}

/** ApiError for a credential that no header can contain, such as one with Chinese characters. */
function headersOf(given: Readonly<Record<string, string>>): Headers {
  try {
    return new Headers(given);
  } catch {
    throw new ApiError('UNAUTHENTICATED', 'the credential has characters that cannot be sent');
  }
}

/** Browsers refuse to read a file that was changed, moved or deleted after it was chosen. */
async function isReadable(file: Blob): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

/** What a proxy says by a status alone, with a page in HTML: the gateway restarts, or the proxy limits bodies. */
const PROXY_CODES: Readonly<Record<number, string>> = {
  413: 'PAYLOAD_TOO_LARGE',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'UNAVAILABLE',
};

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly Refusal[];
}

async function bodyOf(response: Response): Promise<Answer> {
  try {
    return (await response.json()) as Answer;
  } catch (thrown) {
    // Whatever is no JSON is a proxy's; all else is a connection that broke off.
    if (!(thrown instanceof SyntaxError)) throw new ApiError('OFFLINE', String(thrown));
    throw new ApiError(PROXY_CODES[response.status] ?? 'INTERNAL', `${response.status} ${response.statusText}`);
  }
}

/** Retries of a query that a busy gateway refused, and the delay before the first one, in ms; it doubles. */
export const RETRIES = 3;
const RETRY_DELAY_MS = 1_000;

/** Error codes after which the same query may succeed later: docs/clients.md. */
export const RETRIED: ReadonlySet<string> = new Set([
  'RATE_LIMITED',
  'UNAVAILABLE',
  'RESOURCE_EXHAUSTED',
  'DEADLINE_EXCEEDED',
]);

/** Error codes of a gateway that cannot be reached or is not ready, such as while it restarts. */
export const AWAY: ReadonlySet<string> = new Set(['OFFLINE', 'UNAVAILABLE']);

export function retryDelayMs({ retryAfterMs }: ApiError, retries: number): number {
  return Math.max(RETRY_DELAY_MS * 2 ** Math.min(retries, RETRIES), retryAfterMs ?? 0);
}

/** 128 random bits; `crypto.randomUUID` is missing where the page comes by plain HTTP. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `studio-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
