import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { once } from '../domain/async.js';
import { inSteps } from '../domain/steps.js';

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

/** The rank of each token by its bytes, one character (0 to 255) each: the pair of the lowest rank is merged first. */
type Ranks = ReadonlyMap<string, number>;

/** The ranks of a `.tiktoken` file: lines of a token in base64 and its rank. In steps: 200,000 tokens take .2 s. */
export function* rankSteps(file: string): Generator<void, Ranks> {
  const ranks = new Map<string, number>();
  for (const [, token = '', rank] of file.matchAll(/^(\S+) (\d+)$/gm)) {
    if (ranks.size % 100 === 0) yield;
    ranks.set(Buffer.from(token, 'base64').toString('latin1'), Number(rank));
  }
  return ranks;
}

/** Pieces of texts whose counts are kept: most words of a prompt are counted several times. */
const MAX_KEPT = 10_000;

/** Counts the tokens of byte-pair encoding, none of them special. `pieces` splits a text; no token crosses a piece. */
function tokenCounter(ranks: Ranks, pieces: RegExp): (text: string) => number {
  const kept = new Map<string, number>();
  const counted = (piece: string): number => {
    if (kept.size >= MAX_KEPT) kept.clear();
    const count = countOf(Buffer.from(piece).toString('latin1'), ranks);
    kept.set(piece, count);
    return count;
  };
  return (text) => {
    let count = 0;
    for (const [piece] of text.matchAll(pieces)) count += kept.get(piece) ?? counted(piece);
    return count;
  };
}

/** Merges the adjacent two parts whose token has the lowest rank, the first of equal ones, until no pair is a token. */
function countOf(bytes: string, ranks: Ranks): number {
  if (ranks.has(bytes)) return 1;
  const starts = Array.from({ length: bytes.length + 1 }, (_, at) => at);
  /** Of the part at this place and the next one. */
  const rankAt = (place: number): number => {
    const end = starts[place + 2];
    return (end === undefined ? undefined : ranks.get(bytes.slice(starts[place], end))) ?? Number.POSITIVE_INFINITY;
  };
  const pairs = starts.map((_, place) => rankAt(place));
  for (;;) {
    let lowest = 0;
    for (let place = 1; place < pairs.length; place += 1) {
      if ((pairs[place] as number) < (pairs[lowest] as number)) lowest = place;
    }
    if (pairs[lowest] === Number.POSITIVE_INFINITY) return starts.length - 1;
    starts.splice(lowest + 1, 1);
    pairs.splice(lowest, 1);
    pairs[lowest] = rankAt(lowest);
    if (lowest > 0) pairs[lowest - 1] = rankAt(lowest - 1);
  }
}
