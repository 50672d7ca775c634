import { z } from 'zod';
import { delay, within } from '../domain/async.js';
import { asError, UnavailableError } from '../domain/errors.js';
import type { Backend, Embedded } from './backend.js';
import type { EndpointSpec } from './spec.js';
import { Turns, type Urgency } from './turns.js';

/** Requests under way at once: rate limits are counted by the minute, so more would only be refused sooner. */
const UNDER_WAY = 4;

/** How long one request may take. A person does not wait as long as the index can. */
const ANSWER_MS: Readonly<Record<Urgency, number>> = { interactive: 10_000, bulk: 60_000 };

/** Tries of one request: what failed for a passing reason usually works within seconds. */
const ATTEMPTS: Readonly<Record<Urgency, number>> = { interactive: 2, bulk: 5 };

/** The pause before the second try; it doubles, and is halved at random so that gateways do not return in step. */
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 20_000;

/** A request may be so long; endpoints limit the tokens of a request too. */
const RUN_CHARS = 20_000;

/** Nothing wrong with the texts: the server has too much to do, or is away. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 429, 500, 502, 503, 504, 529]);

/** The settings are wrong, whatever the texts are: no key, no such model, nothing paid for. */
const REFUSING: ReadonlySet<number> = new Set([401, 402, 403, 404]);

/** How much of what the server says about an error is kept. */
const TOLD_CHARS = 300;

const answer = z.object({
  data: z.array(z.object({ index: z.number().int().nonnegative(), embedding: z.array(z.number()) })),
});

/** Where an endpoint is, and the secret that opens it, which is never told to anyone else. */
export interface Endpoint {
  /** Up to `/embeddings`, without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
}

/** What may be changed for tests. */
export interface EndpointTiming {
  readonly pauseMs: number;
  readonly answerMs: Readonly<Record<Urgency, number>>;
}

/** A model behind a server that speaks OpenAI's embedding format, as DashScope and many local servers do. */
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

  /** The vectors, or why the server could not answer just now; throws what another try would not mend. */
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
      return { reason: `${this.#host} cannot be reached: ${reason}`, afterMs: 0 };
    }
    const { status, retryAfter, body } = answered;
    if (status >= 200 && status < 300) return { vectors: this.#vectors(body, texts.length) };
    const told = `${this.#host} answered ${status}: ${this.#withoutKey(body).slice(0, TOLD_CHARS)}`;
    if (PASSING.has(status)) return { reason: told, afterMs: afterMs(retryAfter) };
    if (REFUSING.has(status)) throw new UnavailableError('embedder', told);
    throw new Error(told);
  }

  #vectors(body: string, count: number): readonly Embedded[] {
    const parsed = answer.safeParse(json(body));
    if (!parsed.success) throw new UnavailableError('embedder', `${this.#host} does not speak the embedding format`);
    const vectors: (Embedded | undefined)[] = Array.from({ length: count });
    for (const { index, embedding } of parsed.data.data) vectors[index] = unit(embedding);
    if (parsed.data.data.length !== count || vectors.includes(undefined)) {
      throw new UnavailableError('embedder', `${this.#host} answered ${parsed.data.data.length} of ${count} texts`);
    }
    return vectors as readonly Embedded[];
  }

  /** The server without path and without whatever secret somebody wrote into the address. */
  get #host(): string {
    return new URL(this.#endpoint.baseUrl).host;
  }

  /** Some servers repeat the key when they refuse it. */
  #withoutKey(text: string): string {
    const { apiKey } = this.#endpoint;
    return apiKey === null ? text : text.replaceAll(apiKey, '***');
  }
}

/** Endpoints that shorten vectors do not all bring them back to length 1. */
function unit(values: readonly number[]): Embedded {
  const length = Math.hypot(...values);
  if (!(length > 0) || !Number.isFinite(length)) return new Error('the endpoint answered a vector without a direction');
  return Float32Array.from(values, (value) => value / length);
}

/** Seconds, as servers write it; a date is not waited for. */
function afterMs(retryAfter: string | null): number {
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
