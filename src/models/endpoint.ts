import { z } from 'zod';
import { delay, jittered, within } from '../domain/async.js';
import { asError, UnavailableError } from '../domain/errors.js';
import { jsonIn } from '../domain/parse/json.js';
import { Turns, type Urgency } from '../domain/turns.js';
import type { Backend, Embedded } from './backend.js';
import type { EndpointSpec } from './spec.js';

/** Concurrent requests: rate limits are counted by the minute, so more would only be refused sooner. */
const UNDER_WAY = 4;

/** Deadline of one request. A user does not wait as long as the indexer can. */
const ANSWER_MS: Readonly<Record<Urgency, number>> = { interactive: 10_000, bulk: 60_000 };

/** Attempts of one request: transient failures usually pass within seconds. */
const ATTEMPTS: Readonly<Record<Urgency, number>> = { interactive: 2, bulk: 5 };

/** Delay before the second attempt. */
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 20_000;

/** Limit of a request; endpoints limit its tokens too. */
const RUN_CHARS = 20_000;

/** The server is overloaded or unavailable, as with each status from 500 on: Cloudflare has 520 to 530. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 409, 429]);

/** Wrong settings: no key, no such model, no payment. */
const REFUSING: ReadonlySet<number> = new Set([401, 402, 403, 404]);

/** Length of the server's error message that is kept. */
const TOLD_CHARS = 300;

const answer = z.object({
  data: z.array(z.object({ index: z.number().int().nonnegative(), embedding: z.array(z.number()) })),
});

/** Address and secret of an endpoint; the secret is never shown. */
export interface Endpoint {
  /** Up to `/embeddings`, without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
}

interface RequestFailure {
  readonly problem: string;
  /** Undefined if there was no response. */
  readonly status?: number;
  /** Delay that the server asked for, in ms; 0: none. */
  readonly afterMs: number;
  readonly isTransient: boolean;
}

/** Overridden by tests. */
interface EndpointTiming {
  readonly pauseMs: number;
  readonly answerMs: Readonly<Record<Urgency, number>>;
}

/** A model behind an OpenAI-compatible embedding endpoint, as DashScope and many local servers have. */
export class EndpointBackend implements Backend {
  readonly turns = new Turns(UNDER_WAY);

  constructor(
    private readonly spec: EndpointSpec,
    private readonly endpoint: Endpoint,
    private readonly timing: EndpointTiming = { pauseMs: PAUSE_MS, answerMs: ANSWER_MS },
  ) {}

  runLimits(): ReturnType<Backend['runLimits']> {
    return { texts: this.spec.batch, chars: RUN_CHARS };
  }

  async run(texts: readonly string[], urgency: Urgency, signal: AbortSignal): Promise<readonly Embedded[]> {
    const { name, dims, asksForDims } = this.spec;
    const body = {
      model: name.slice('openai:'.length),
      input: texts,
      encoding_format: 'float',
      ...(asksForDims ? { dimensions: dims } : {}),
    };
    const ms = this.timing.answerMs[urgency];
    const late = (): Error => new Error(`no answer within ${ms} ms`);
    const outcome = await retried(
      { attempts: ATTEMPTS[urgency], pauseMs: this.timing.pauseMs, maxPauseMs: MAX_PAUSE_MS, signal },
      () =>
        within({ ms, late, signal }, (deadline) =>
          post(this.endpoint, { path: '/embeddings', body, signal: deadline }, (response) => response.text()),
        ).catch((thrown: unknown) => unreachable(this.endpoint, thrown, signal)),
    );
    if (typeof outcome === 'string') return this.#vectors(outcome, texts.length);
    const { problem, status, isTransient } = outcome;
    if (isTransient || REFUSING.has(status ?? 0)) throw new UnavailableError('embedder', problem);
    throw new Error(problem);
  }

  #vectors(body: string, count: number): readonly Embedded[] {
    const parsed = answer.safeParse(jsonIn(body));
    if (!parsed.success)
      throw new UnavailableError('embedder', `${hostOf(this.endpoint)} does not return the OpenAI embedding format`);
    const vectors: (Embedded | undefined)[] = Array.from({ length: count });
    for (const { index, embedding } of parsed.data.data) vectors[index] = unit(embedding);
    if (parsed.data.data.length !== count || vectors.includes(undefined)) {
      throw new UnavailableError(
        'embedder',
        `${hostOf(this.endpoint)} returned ${parsed.data.data.length} of ${count} vectors`,
      );
    }
    return vectors as readonly Embedded[];
  }
}

/** Posts JSON to an endpoint and reads a successful response. Rejects with the errors of fetch and of `read`. */
export async function post<T>(
  endpoint: Endpoint,
  { path, body, ...init }: { readonly path: string; readonly body: object } & Pick<RequestInit, 'signal' | 'redirect'>,
  read: (response: Response) => Promise<T> | T,
): Promise<T | RequestFailure> {
  const { baseUrl, apiKey } = endpoint;
  const response = await fetch(`${baseUrl}${path}`, {
    ...init,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(body),
  });
  if (response.ok) return read(response);
  const { status, headers } = response;
  const problem = `${hostOf(endpoint)} answered ${status}: ${excerpt(endpoint, await response.text())}`;
  const isTransient = status >= 500 || TRANSIENT.has(status);
  return { problem, status, afterMs: afterMs(headers.get('retry-after')), isTransient };
}

/** The beginning of what a server wrote, without the key: some servers repeat it in their message. */
export function excerpt({ apiKey }: Endpoint, text: string): string {
  return (apiKey === null ? text : text.replaceAll(apiKey, '***')).slice(0, TOLD_CHARS);
}

/** The failure of a request without a response; throws the signal's reason if it has aborted. */
export function unreachable(endpoint: Endpoint, thrown: unknown, signal: AbortSignal): RequestFailure {
  signal.throwIfAborted();
  return { problem: `${hostOf(endpoint)} cannot be reached: ${rootMessage(thrown)}`, afterMs: 0, isTransient: true };
}

/** Message of an error's cause, because fetch's own only says `fetch failed`. */
export function rootMessage(thrown: unknown): string {
  const { cause, message } = asError(thrown);
  return cause instanceof Error ? cause.message : message;
}

/** The outcome of `ask`, repeated while its failure is transient; the delay doubles, half of it jitter. */
export async function retried<T>(
  options: { attempts: number; pauseMs: number; maxPauseMs: number; signal: AbortSignal },
  ask: () => Promise<T | RequestFailure>,
): Promise<T | RequestFailure> {
  const { attempts, pauseMs, maxPauseMs, signal } = options;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await ask();
    if (attempt === attempts || !isFailure(outcome) || !outcome.isTransient) return outcome;
    const backoffMs = jittered(pauseMs * 2 ** (attempt - 1));
    await delay(Math.min(maxPauseMs, Math.max(outcome.afterMs, backoffMs)), signal);
    signal.throwIfAborted();
  }
}

export function isFailure(outcome: unknown): outcome is RequestFailure {
  return typeof outcome === 'object' && outcome !== null && 'isTransient' in outcome;
}

/** Host alone: neither the path nor any secret in the URL. */
export function hostOf({ baseUrl }: Endpoint): string {
  return new URL(baseUrl).host;
}

/** Normalises a vector: not all endpoints do so after shortening it. */
function unit(values: readonly number[]): Embedded {
  const length = Math.hypot(...values);
  if (!(length > 0) || !Number.isFinite(length)) return new Error('the endpoint returned a zero vector');
  return Float32Array.from(values, (value) => value / length);
}

/** Parses seconds; a date is ignored. */
function afterMs(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? 0);
  return Number.isFinite(seconds) ? Math.min(MAX_PAUSE_MS, Math.max(0, seconds * 1_000)) : 0;
}
