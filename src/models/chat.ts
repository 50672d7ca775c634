import { createParser } from 'eventsource-parser';
import { z } from 'zod';
import { delay } from '../domain/async.js';
import { asError, RateLimitedError, UnavailableError } from '../domain/errors.js';
import type { ChatEnd, ChatModel, ChatRequest } from '../domain/ports/chat.js';
import { afterMs, type Endpoint, hostOf, PASSING, refusalOf } from './endpoint.js';
import { ThoughtFilter } from './thought-filter.js';

/** Overrides for tests. */
export interface ChatTiming {
  /** The pause before the second try; it doubles, and is halved at random so that gateways do not return in step. */
  readonly pauseMs: number;
  /** How long the first token may take, tries and pauses included: local models read a prompt of 1,500 tokens in seconds. */
  readonly firstMs: number;
  /** How long nothing may come between two pieces. */
  readonly idleMs: number;
  /** How long the whole answer may take. */
  readonly answerMs: number;
}

const TIMING: ChatTiming = { pauseMs: 500, firstMs: 30_000, idleMs: 15_000, answerMs: 90_000 };

const ATTEMPTS = 3;
const MAX_PAUSE_MS = 5_000;

/** Answers under way at once, and how many more may wait for their turn. */
const UNDER_WAY = 8;
const WAITING = 16;

/** An answer of more characters than any of its tokens has is no answer. */
const CHARS_PER_TOKEN = 16;

/** A line that does not end. */
const MAX_EVENT_CHARS = 1_000_000;

const chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: z.string().nullish() }).nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  error: z.unknown().optional(),
});

/** A chat model behind a server that speaks OpenAI's format, as DashScope, Ollama, vLLM and llama.cpp do. */
export class EndpointChat implements ChatModel {
  readonly #endpoint: Endpoint;
  readonly #timing: ChatTiming;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(
    readonly name: string,
    endpoint: Endpoint,
    timing: ChatTiming = TIMING,
  ) {
    this.#endpoint = endpoint;
    this.#timing = timing;
  }

  async *stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<string, ChatEnd, undefined> {
    await this.#turn(signal);
    const clock = new Clock(signal, this.#timing);
    try {
      return yield* this.#answer(request, clock);
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof UnavailableError) throw thrown;
      const error = asError(clock.signal.aborted ? clock.signal.reason : thrown);
      const reason = error.cause instanceof Error ? error.cause.message : error.message;
      throw new UnavailableError('chat', `${hostOf(this.#endpoint)}: ${reason}`, { cause: error });
    } finally {
      clock.stop();
      this.#giveBack();
    }
  }

  async *#answer(request: ChatRequest, clock: Clock): AsyncGenerator<string, ChatEnd, undefined> {
    const body = await this.#open(request, clock);
    const filter = new ThoughtFilter();
    const decoder = new TextDecoder();
    const events: string[] = [];
    const parser = createParser({
      onEvent: ({ data }) => events.push(data),
      maxBufferSize: MAX_EVENT_CHARS,
      onError: ({ type, message }) => {
        if (type === 'max-buffer-size-exceeded') throw new Error(message);
      },
    });
    let end: ChatEnd | null = null;
    let chars = 0;
    for await (const bytes of body) {
      clock.heard();
      parser.feed(decoder.decode(bytes, { stream: true }));
      for (const data of events.splice(0)) {
        if (data === '[DONE]') {
          end ??= 'STOP';
          continue;
        }
        const { text, finish } = read(data);
        const shown = filter.push(text);
        chars += shown.length;
        if (chars > request.maxTokens * CHARS_PER_TOKEN) throw new Error('the answer does not end');
        if (shown !== '') yield shown;
        if (finish !== null) end = finish;
      }
      if (end !== null) break;
    }
    if (end === null) throw new Error('the connection ended in the middle of the answer');
    const rest = filter.end();
    if (rest !== '') yield rest;
    return end;
  }

  /** The body of an answer that has begun; tried again for a passing reason. */
  async #open(request: ChatRequest, clock: Clock): Promise<AsyncIterable<Uint8Array>> {
    const { pauseMs } = this.#timing;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#ask(request, clock.signal);
      if ('body' in outcome) return outcome.body;
      if (attempt >= ATTEMPTS || !outcome.isPassing) throw new UnavailableError('chat', outcome.reason);
      const backoffMs = pauseMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
      await delay(Math.min(MAX_PAUSE_MS, Math.max(outcome.afterMs, backoffMs)), clock.signal);
      clock.signal.throwIfAborted();
    }
  }

  async #ask(
    { messages, maxTokens }: ChatRequest,
    signal: AbortSignal,
  ): Promise<{ body: AsyncIterable<Uint8Array> } | { reason: string; afterMs: number; isPassing: boolean }> {
    const { baseUrl, apiKey } = this.#endpoint;
    let response: Response;
    try {
      response = await fetch(`${baseUrl}/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({ model: this.name, messages, max_tokens: maxTokens, stream: true }),
        // An endpoint that sends elsewhere would be sent the key, and a student's question.
        redirect: 'error',
        signal,
      });
    } catch (thrown) {
      signal.throwIfAborted();
      const error = asError(thrown);
      const reason = error.cause instanceof Error ? error.cause.message : error.message;
      return { reason: `${hostOf(this.#endpoint)} cannot be reached: ${reason}`, afterMs: 0, isPassing: true };
    }
    const { status, body, headers } = response;
    if (response.ok && body !== null) return { body };
    const told = refusalOf(this.#endpoint, status, await response.text());
    return { reason: told, afterMs: afterMs(headers.get('retry-after')), isPassing: PASSING.has(status) };
  }

  /** Resolves when it is this answer's turn. */
  #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#underWay < UNDER_WAY) {
      this.#underWay += 1;
      return Promise.resolve();
    }
    if (this.#waiting.length >= WAITING)
      throw new RateLimitedError('tutor', this.#timing.idleMs, 'has too many to answer');
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(onTurn), 1);
        reject(asError(signal.reason));
      };
      const onTurn = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(onTurn);
    });
  }

  #giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#underWay -= 1;
    else next();
  }
}

/** Aborts with the caller's signal, or when an answer takes too long: to begin, between two pieces, or as a whole. */
class Clock {
  readonly signal: AbortSignal;
  readonly #late = new AbortController();
  readonly #timing: ChatTiming;
  readonly #whole: NodeJS.Timeout;
  #next: NodeJS.Timeout;

  constructor(signal: AbortSignal, timing: ChatTiming) {
    this.#timing = timing;
    this.signal = AbortSignal.any([signal, this.#late.signal]);
    this.#whole = this.#after(timing.answerMs, 'the answer took longer than');
    this.#next = this.#after(timing.firstMs, 'nothing of an answer came within');
  }

  heard(): void {
    clearTimeout(this.#next);
    this.#next = this.#after(this.#timing.idleMs, 'nothing more of the answer came within');
  }

  stop(): void {
    clearTimeout(this.#whole);
    clearTimeout(this.#next);
  }

  #after(ms: number, what: string): NodeJS.Timeout {
    return setTimeout(() => this.#late.abort(new Error(`${what} ${ms} ms`)), ms);
  }
}

function read(data: string): { readonly text: string; readonly finish: ChatEnd | null } {
  let parsed: z.infer<typeof chunk>;
  try {
    parsed = chunk.parse(JSON.parse(data));
  } catch {
    throw new Error('the endpoint does not speak the chat format');
  }
  if (parsed.error !== undefined && parsed.error !== null) throw new Error('the endpoint failed while it answered');
  const [choice] = parsed.choices;
  const reason = choice?.finish_reason ?? null;
  return {
    text: choice?.delta?.content ?? '',
    finish: reason === null ? null : reason === 'length' ? 'LENGTH' : 'STOP',
  };
}
