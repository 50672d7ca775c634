import { z } from 'zod';
import { delay, within } from '../domain/async.js';
import { asError, UnavailableError } from '../domain/errors.js';
import type { Backend, Embedded } from './backend.js';
import type { EndpointSpec } from './spec.js';
import { Turns, type Urgency } from './turns.js';

/** Concurrent requests: rate limits are counted by the minute, so more would only be refused sooner. */
const UNDER_WAY = 4;

/** Deadline of one request. A user does not wait as long as the indexer can. */
const ANSWER_MS: Readonly<Record<Urgency, number>> = { interactive: 10_000, bulk: 60_000 };

/** Attempts of one request: transient failures usually pass within seconds. */
const ATTEMPTS: Readonly<Record<Urgency, number>> = { interactive: 2, bulk: 5 };

/** Delay before the second attempt; it doubles, half of it jitter. */
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 20_000;

/** Limit of a request; endpoints limit its tokens too. */
const RUN_CHARS = 20_000;

/** Transient statuses: the server is overloaded or unavailable. */
export const PASSING: ReadonlySet<number> = new Set([408, 409, 429, 500, 502, 503, 504, 529]);

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

/** Overridden by tests. */
export interface EndpointTiming {
  readonly pauseMs: number;
  readonly answerMs: Readonly<Record<Urgency, number>>;
}

/** A model behind an OpenAI-compatible embedding endpoint, as DashScope and many local servers have. */
export class EndpointBackend implements Backend {
  readonly turns = new Turns(UNDER_WAY);
  readonly #spec: EndpointSpec;
  readonly #endpoint: Endpoint;
  readonly #timing: EndpointTiming;

  constructor(
    spec: EndpointSpec,
    endpoint: Endpoint,
    timing: EndpointTiming = { pauseMs: PAUSE_MS, answerMs: ANSWER_MS },
  ) {
    this.#spec = spec;
    this.#endpoint = endpoint;
    this.#timing = timing;
  }

  readonly runLimits = (): { readonly texts: number; readonly chars: number } => ({
    texts: this.#spec.batch,
    chars: RUN_CHARS,
  });

  async run(texts: readonly string[], urgency: Urgency, signal: AbortSignal): Promise<readonly Embedded[]> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#ask(texts, urgency, signal);
      if ('vectors' in outcome) return outcome.vectors;
      if (attempt >= ATTEMPTS[urgency]) throw new UnavailableError('embedder', outcome.reason);
      const pauseMs = Math.min(MAX_PAUSE_MS, this.#timing.pauseMs * 2 ** (attempt - 1));
      await delay(Math.max(outcome.afterMs, pauseMs * (0.5 + Math.random() / 2)), signal);
      signal.throwIfAborted();
    }
  }

  /** The vectors, or a transient error; throws errors that a retry would not solve. */
  async #ask(
    texts: readonly string[],
    urgency: Urgency,
    signal: AbortSignal,
  ): Promise<{ vectors: readonly Embedded[] } | { reason: string; afterMs: number }> {
    const { baseUrl, apiKey } = this.#endpoint;
    const { name, dims, asksForDims } = this.#spec;
    const ms = this.#timing.answerMs[urgency];
    const late = (): Error => new Error(`no answer within ${ms} ms`);
    let answered: { status: number; retryAfter: string | null; body: string };
    try {
      answered = await within({ ms, late, signal }, async (deadline) => {
        const response = await fetch(`${baseUrl}/embeddings`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
          },
          body: JSON.stringify({
            model: name.slice('openai:'.length),
            input: texts,
            encoding_format: 'float',
            ...(asksForDims ? { dimensions: dims } : {}),
          }),
          signal: deadline,
        });
        const { status, headers } = response;
        return { status, retryAfter: headers.get('retry-after'), body: await response.text() };
      });
    } catch (thrown) {
      signal.throwIfAborted();
      const error = asError(thrown);
      const reason = error.cause instanceof Error ? error.cause.message : error.message;
      return { reason: `${hostOf(this.#endpoint)} cannot be reached: ${reason}`, afterMs: 0 };
    }
    const { status, retryAfter, body } = answered;
    if (status >= 200 && status < 300) return { vectors: this.#vectors(body, texts.length) };
    const told = refusalOf(this.#endpoint, status, body);
    if (PASSING.has(status)) return { reason: told, afterMs: afterMs(retryAfter) };
    if (REFUSING.has(status)) throw new UnavailableError('embedder', told);
    throw new Error(told);
  }

  #vectors(body: string, count: number): readonly Embedded[] {
    const parsed = answer.safeParse(json(body));
    if (!parsed.success)
      throw new UnavailableError('embedder', `${hostOf(this.#endpoint)} does not return the OpenAI embedding format`);
    const vectors: (Embedded | undefined)[] = Array.from({ length: count });
    for (const { index, embedding } of parsed.data.data) vectors[index] = unit(embedding);
    if (parsed.data.data.length !== count || vectors.includes(undefined)) {
      throw new UnavailableError(
        'embedder',
        `${hostOf(this.#endpoint)} returned ${parsed.data.data.length} of ${count} vectors`,
      );
    }
    return vectors as readonly Embedded[];
  }
}

/** Host alone: neither the path nor any secret in the URL. */
export function hostOf({ baseUrl }: Endpoint): string {
  return new URL(baseUrl).host;
}

/** An endpoint's error message without the key, which some servers repeat. */
export function refusalOf(endpoint: Endpoint, status: number, body: string): string {
  const { apiKey } = endpoint;
  const shown = apiKey === null ? body : body.replaceAll(apiKey, '***');
  return `${hostOf(endpoint)} answered ${status}: ${shown.slice(0, TOLD_CHARS)}`;
}

/** Normalises a vector: not all endpoints do so after shortening it. */
function unit(values: readonly number[]): Embedded {
  const length = Math.hypot(...values);
  if (!(length > 0) || !Number.isFinite(length)) return new Error('the endpoint returned a zero vector');
  return Float32Array.from(values, (value) => value / length);
}

/** Parses seconds; a date is ignored. */
export function afterMs(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? 0);
  return Number.isFinite(seconds) ? Math.min(MAX_PAUSE_MS, Math.max(0, seconds * 1_000)) : 0;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
