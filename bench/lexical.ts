/**
 * How fast is the BM25 index? 100,000 cards of 40 tokens, queries of 8 terms, the 50 best, against the same scores
 * computed without an index in the same run: `node dist/bench/lexical.js`.
 */
import { Bm25Index } from '../src/lexical/bm25.js';
import { NaiveBm25 } from './naive-bm25.js';

const CARDS = 100_000;
const TOKENS = 40;
const WORDS = 30_000;
const QUERIES = 200;
const NAIVE_QUERIES = 3;

/** Marsaglia's xorshift: the same numbers in every run. */
let state = 2_463_534_242;
function random(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}

/** Zipf's law, as words follow it: the n-th word is said 1/n times as often as the first. */
function randomWord(): string {
  return `w${Math.floor(WORDS ** random())}`;
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function timesMs(runs: number, run: (i: number) => void): number[] {
  return Array.from({ length: runs }, (_, i) => {
    const start = performance.now();
    run(i);
    return performance.now() - start;
  }).sort((a, b) => a - b);
}

const words = (length: number): string[] => Array.from({ length }, randomWord);
const index = new Bm25Index();
const naive = new NaiveBm25();
for (let i = 0; i < CARDS; i++) naive.set(`card-${i}`, words(TOKENS));
const [buildMs] = timesMs(1, () => {
  for (const [cardId, tokens] of naive.cards) index.set(cardId, tokens);
});
const queries = Array.from({ length: QUERIES }, () => words(8));
const queryOf = (i: number): string[] => queries[i % QUERIES] ?? [];
const admitted = (share: number): Set<string> => new Set([...naive.cards.keys()].filter(() => random() < share));

const row = (name: string, times: readonly number[], ratio?: number): void =>
  console.log(
    `${name.padEnd(34)} p50 ${percentile(times, 0.5).toFixed(3)} ms  p95 ${percentile(times, 0.95).toFixed(3)} ms` +
      (ratio === undefined ? '' : `  ${ratio.toFixed(0)} x faster than without an index`),
  );

console.log(
  `${CARDS} cards: built in ${(buildMs ?? 0).toFixed(0)} ms, ${(index.bytes / 2 ** 20).toFixed(0)} MiB in arrays`,
);
const naiveTimes = timesMs(NAIVE_QUERIES, (i) => naive.search(queryOf(i), 50));
timesMs(QUERIES, (i) => index.search(queryOf(i), 50));
const all = timesMs(QUERIES, (i) => index.search(queryOf(i), 50));
row('without an index', naiveTimes);
row('search, all cards', all, percentile(naiveTimes, 0.5) / percentile(all, 0.5));
for (const share of [0.3, 0.03, 0.003]) {
  const ids = admitted(share);
  row(
    `search, ${ids.size} cards admitted`,
    timesMs(QUERIES, (i) => index.search(queryOf(i), 50, ids)),
  );
}
const someIds = [...admitted(0.005)];
row(
  `exact scores of ${someIds.length} cards`,
  timesMs(QUERIES, (i) => index.scores(queryOf(i), someIds)),
);
row(
  'update of one card',
  timesMs(2000, (i) => index.set(`card-${Math.floor(random() * CARDS)}`, words(TOKENS + (i % 3)))),
);
