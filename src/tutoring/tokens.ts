import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { once } from '../domain/async.js';
import { inSteps } from '../domain/steps.js';
import { rankSteps, tokenCounter } from './byte-pairs.js';

export type CountTokens = (text: string) => number;

/**
 * A longer run without a blank, or of blanks, is counted in pieces: byte-pair encoding takes time in proportion to the
 * square of a run's length, 1.7 s for 20,000 Chinese characters and .3 s for 16,000 blanks. Each cut may add a token.
 */
const MAX_RUN = 200;
const LONG_RUN = new RegExp(`\\S{${MAX_RUN + 1}}|\\s{${MAX_RUN + 1}}`, 'u');
const PIECES = new RegExp(`\\s{0,${MAX_RUN}}\\S{1,${MAX_RUN}}|\\s{1,${MAX_RUN}}`, 'gu');

/**
 * Loaded when the first context is asked for, or at the start of a gateway with a chat model, in steps: the table of
 * the encoding takes some 40 MB and .2 s of processor time. The library's own module blocked for .5 s. It is the
 * encoding of OpenAI's models since GPT-4o; `npm run bench -- tokens` prints how much more others need for the sample
 * notebook, and docs/tutoring.md has the margins.
 */
export const loadTokenCounter = once(async (): Promise<CountTokens> => {
  const file = createRequire(import.meta.url).resolve('gpt-tokenizer/data/o200k_base.tiktoken');
  const { O200K_TOKEN_SPLIT_REGEX } = await import('gpt-tokenizer/encodingParams/constants');
  const ranks = await inSteps(rankSteps(await readFile(file, 'latin1')));
  // Of a card's text, nothing is a special token.
  const count = tokenCounter(ranks, O200K_TOKEN_SPLIT_REGEX);
  return (text) => {
    if (!LONG_RUN.test(text)) return count(text);
    return (text.match(PIECES) ?? []).reduce((sum, piece) => sum + count(piece), 0);
  };
});
