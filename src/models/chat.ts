import { createParser } from 'eventsource-parser';
import { z } from 'zod';
import { asError, RateLimitedError, UnavailableError } from '../domain/errors.js';
import { jsonIn } from '../domain/parse/json.js';
import type { ChatEnd, ChatModel, ChatRequest } from '../domain/ports/chat.js';
import { Turns } from '../domain/turns.js';
import { type Endpoint, excerpt, hostOf, isFailure, post, retried, rootMessage, unreachable } from './endpoint.js';
import { ThoughtFilter } from './thought-filter.js';

/** Overrides for tests. */
export interface ChatTiming {
  /** Delay before the second attempt. */
  readonly pauseMs: number;
  /** Deadline of the first token, over all attempts: local models read a prompt of 1,500 tokens in seconds. */
  readonly firstMs: number;
  /** Deadline of each following token. */
  readonly idleMs: number;
  /** Deadline of the whole answer. */
  readonly answerMs: number;
}

const TIMING: ChatTiming = { pauseMs: 500, firstMs: 30_000, idleMs: 15_000, answerMs: 90_000 };

const ATTEMPTS = 3;
const MAX_PAUSE_MS = 5_000;

/** Concurrent answers, and callers that may wait for one to end. */
const CONCURRENT = 8;
const MAX_WAITING = 16;

/** No token is longer; a longer answer ignores the token limit. */
const CHARS_PER_TOKEN = 16;

/** Limit of one event of the stream. */
const MAX_EVENT_CHARS = 1_000_000;

/** What is kept of a response without events, for its error: a proxy's page, or an error as plain JSON. */
const MAX_KEPT_CHARS = 10_000;

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

const failed = z.object({ error: z.union([z.string(), z.looseObject({})]) });

/** A page, such as a proxy's; a text of a model may begin with `<think>`. */
const PAGE = /^\s*<(?:!doctype|html)\b.*/is;

/** The beginning of a stream of events. */
const EVENT_LINE = /^\s*(?:data|event|id|retry)?:/;

/** A chat model behind an OpenAI-compatible server, such as DashScope, Ollama, vLLM and llama.cpp. */
export class EndpointChat implements ChatModel {
  readonly #turns = new Turns(CONCURRENT);

  constructor(
    readonly name: string,
    private readonly endpoint: Endpoint,
    private readonly timing: ChatTiming = TIMING,
  ) {}

  async *stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<string, ChatEnd, undefined> {
    if (this.#turns.waiting >= MAX_WAITING)
      throw new RateLimitedError('tutor', this.timing.idleMs, 'has too many questions to answer');
    const giveBack = await this.#turns.take('interactive', signal);
    const clock = new Clock(signal, this.timing);
    try {
      return yield* this.#answer(request, clock);
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof UnavailableError) throw thrown;
      const cause = asError(clock.signal.aborted ? clock.signal.reason : thrown);
      throw new UnavailableError('chat', `${hostOf(this.endpoint)}: ${rootMessage(cause)}`, { cause });
    } finally {
      clock.stop();
      giveBack();
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
    let hasEvents = false;
    let unread = '';
    for await (const bytes of body) {
      clock.onData();
      const received = decoder.decode(bytes, { stream: true });
      parser.feed(received);
      hasEvents ||= events.length > 0;
      if (!hasEvents && unread.length < MAX_KEPT_CHARS) unread += received;
      for (const data of events.splice(0)) {
        if (data === '[DONE]') {
          end ??= 'STOP';
          continue;
        }
        const { text, finish } = this.#read(data);
        const shown = filter.push(text);
        chars += shown.length;
        if (chars > request.maxTokens * CHARS_PER_TOKEN) throw new Error('the answer exceeds its token limit');
        if (shown !== '') yield shown;
        if (finish !== null) end = finish;
      }
      if (end !== null) break;
    }
    if (end === null && unread.trim() !== '' && !hasEvents && !EVENT_LINE.test(unread))
      throw new Error(`the response is not an event stream${this.#excerpt(unread)}`);
    if (end === null) throw new Error('the connection ended before the answer was complete');
    const rest = filter.end();
    if (rest !== '') yield rest;
    return end;
  }

  #read(data: string): { readonly text: string; readonly finish: ChatEnd | null } {
    const { data: parsed } = chunk.safeParse(jsonIn(data));
    if (parsed === undefined) throw new Error(`the response is not in the OpenAI chat format${this.#excerpt(data)}`);
    if (parsed.error !== undefined && parsed.error !== null)
      throw new Error(`the endpoint reported an error${this.#excerpt(data)}`);
    const [choice] = parsed.choices;
    // Ollama, LocalAI and SGLang have sent '' in each chunk before the last one.
    const reason = choice?.finish_reason || null;
    return {
      text: choice?.delta?.content ?? '',
      finish: reason === null ? null : (CUT_OFF.get(reason) ?? 'STOP'),
    };
  }

  /**
   * What the endpoint says went wrong, in one line: an error in JSON, or the beginning of a page. Nothing else, which
   * may be a text of the model: it may give the answer, and no guard has read it.
   */
  #excerpt(text: string): string {
    const { data } = failed.safeParse(jsonIn(text));
    const told = data === undefined ? PAGE.exec(text)?.[0] : JSON.stringify(data.error);
    return told === undefined ? '' : `: ${excerpt(this.endpoint, told).replace(/\s+/g, ' ').trim()}`;
  }

  /** The body of the response; transient failures are retried. */
  async #open({ messages, maxTokens }: ChatRequest, { signal }: Clock): Promise<AsyncIterable<Uint8Array>> {
    const body = { model: this.name, messages, max_tokens: maxTokens, stream: true };
    const outcome = await retried(
      { attempts: ATTEMPTS, pauseMs: this.timing.pauseMs, maxPauseMs: MAX_PAUSE_MS, signal },
      () =>
        // A redirection would forward the student's question to another server.
        post(this.endpoint, { path: '/chat/completions', body, redirect: 'error', signal }, ({ body }) => body).catch(
          (thrown: unknown) => unreachable(this.endpoint, thrown, signal),
        ),
    );
    if (outcome === null) throw new UnavailableError('chat', `${hostOf(this.endpoint)} sent no answer`);
    if (isFailure(outcome)) throw new UnavailableError('chat', outcome.problem);
    return outcome;
  }
}

/** Aborts with the caller's signal, or when a deadline of {@link ChatTiming} passes. */
class Clock {
  readonly signal: AbortSignal;
  readonly #late = new AbortController();
  readonly #whole: NodeJS.Timeout;
  #next: NodeJS.Timeout;

  constructor(
    signal: AbortSignal,
    private readonly timing: ChatTiming,
  ) {
    this.signal = AbortSignal.any([signal, this.#late.signal]);
    this.#whole = this.#after(timing.answerMs, 'the answer took longer than');
    this.#next = this.#after(timing.firstMs, 'the answer did not begin within');
  }

  onData(): void {
    clearTimeout(this.#next);
    this.#next = this.#after(this.timing.idleMs, 'the answer did not continue within');
  }

  stop(): void {
    clearTimeout(this.#whole);
    clearTimeout(this.#next);
  }

  #after(ms: number, what: string): NodeJS.Timeout {
    return setTimeout(() => this.#late.abort(new Error(`${what} ${ms} ms`)), ms);
  }
}

/** The reasons for which an answer ends early; of others there are many names. */
const CUT_OFF: ReadonlyMap<string, ChatEnd> = new Map([
  ['length', 'LENGTH'],
  ['content_filter', 'FILTERED'],
]);
