import { once } from '../domain/async.js';

export type CountTokens = (text: string) => number;

/**
 * A longer run without a blank is counted in pieces: byte-pair encoding takes time in proportion to the square of a
 * run's length, 1.7 s for 20,000 Chinese characters. Each cut may add a token.
 */
const MAX_RUN = 200;
const LONG_RUN = new RegExp(`\\S{${MAX_RUN + 1}}`, 'u');
const PIECES = new RegExp(`\\s*\\S{1,${MAX_RUN}}|\\s+`, 'gu');

/**
 * Loaded when the first context is asked for, or at the start of a gateway with a chat model: the table of the encoding
 * takes some 60 MB and a third of a second. It is the encoding of OpenAI's models since GPT-4o; `npm run bench --
 * tokens` prints how much more others need for the sample notebook, and docs/tutoring.md has the margins.
 */
export const loadTokenCounter = once(async (): Promise<CountTokens> => {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // Of a card's text, nothing is a special token.
  const count = (text: string): number => countTokens(text, { disallowedSpecial: new Set() });
  return (text) => {
    if (!LONG_RUN.test(text)) return count(text);
    return (text.match(PIECES) ?? []).reduce((sum, piece) => sum + count(piece), 0);
  };
});
