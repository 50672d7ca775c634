import { LRUCache } from 'lru-cache';
import { within } from '../../domain/async.js';
import { asError } from '../../domain/errors.js';
import type { ChatModel } from '../../domain/ports/chat.js';
import type { QueryExpansion } from '../../domain/search.js';
import type { Viewer } from '../../domain/viewer.js';

/** Deadline of a rewrite: the search itself still needs its time. */
const DEADLINE_MS = 1_000;

/** Code points of one rewrite, and of a passage. */
const MAX_CHARS: Readonly<Record<QueryExpansion, number>> = { MULTI_QUERY: 20, HYDE: 120 };
const MAX_REWRITES = 3;

/** Cached queries, some kB each. */
const MAX_CACHED = 1_000;

const PROMPTS: Readonly<Record<QueryExpansion, string>> = {
  MULTI_QUERY:
    'You write search queries for a notebook of school mistakes. Write 3 other queries for the same thing, in the language of the query, each on a line of its own and of at most 20 characters. Nothing else.',
  HYDE: 'You write cards of a notebook of school mistakes. Write what a card that answers the query would say, in the language of the query, in at most 120 characters. Nothing else.',
};

/** Has a chat model write other queries for a text; what it writes is searched for and never shown as anything else. */
export class QueryRewriter {
  readonly #cache = new LRUCache<string, readonly string[]>({ max: MAX_CACHED });

  constructor(
    private readonly chat: ChatModel | null,
    private readonly deadlineMs = DEADLINE_MS,
  ) {}

  /**
   * The rewrites of a text, at most 3; cached by viewer, so that the time an answer takes tells nobody what others
   * asked. Throws if there is no chat model, or none answers in time.
   */
  async rewrite(
    { tenantId, ownerId }: Viewer,
    kind: QueryExpansion,
    text: string,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const key = JSON.stringify([tenantId, ownerId, kind, text]);
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const chat = this.chat;
    if (chat === null) throw new Error('no chat model is configured: set CHAT_BASE_URL and CHAT_MODEL');
    const ms = this.deadlineMs;
    const late = (): Error => new Error(`the chat model did not answer within ${ms} ms`);
    const answer = await within({ ms, late, signal }, async (both) => {
      const messages = [
        { role: 'system', content: PROMPTS[kind] },
        { role: 'user', content: text },
      ] as const;
      let said = '';
      for await (const piece of chat.stream({ messages, maxTokens: 2 * MAX_CHARS.HYDE }, both)) said += piece;
      return said;
    }).catch((thrown: unknown) => {
      signal.throwIfAborted();
      throw asError(thrown);
    });
    const rewrites = rewritesIn(answer, kind, text);
    this.#cache.set(key, rewrites);
    return rewrites;
  }
}

/** `1.`, `2)` or `-` before an item of a list; not the beginning of `3.5`, 2、3 or `-3x`. */
const LIST_MARK = /^(?:\d+(?:[、)](?!\s*\d)|\.(?!\d))\s*|[-*•](?:\s+|(?=\p{Script=Han}|[A-Za-z]{2})))/u;

/** Parses the model's answer: its short lines without the query itself, or the beginning of its passage. Pure. */
export function rewritesIn(answer: string, kind: QueryExpansion, text: string): readonly string[] {
  const max = MAX_CHARS[kind];
  // A query is one line, and has no lone surrogate or NUL in it.
  const clean = (line: string): string => line.replace(/[\p{Cc}\p{Cs}]+/gu, ' ').trim();
  if (kind === 'HYDE') {
    const passage = [...clean(answer)].slice(0, max).join('').trim();
    return passage === '' ? [] : [passage];
  }
  const lines = answer
    .split('\n')
    .map((line) => clean(line).replace(LIST_MARK, ''))
    .filter((line) => line !== '' && line !== text && [...line].length <= max);
  return [...new Set(lines)].slice(0, MAX_REWRITES);
}
