/**
 * How fast is the BM25 index?
 *
 *     npm run bench -- lexical
 *
 * 100,000 cards of 40 tokens, queries of 8 terms, the 50 best hits, compared with computing the same scores without an
 * index in the same run.
 */
import { Bm25Index } from '../src/lexical/bm25.js';
import { TermDictionary } from '../src/lexical/term-dictionary.js';
import { NaiveBm25 } from './naive-bm25.js';
import { benchmark, type Run, range } from './run.js';

const CARDS = 100_000;
const TOKENS = 40;
const WORDS = 30_000;
const QUERIES = 200;
const NAIVE_QUERIES = 3;
/** Cards indexed between two time measurements. */
const BUILT_TOGETHER = 1_000;

/** Marsaglia's xorshift: the same numbers in every run. */
let state = 2_463_534_242;
function random(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}

/** Zipf's law: the n-th word is 1/n times as frequent as the first. */
function randomWord(): string {
  return `w${Math.floor(WORDS ** random())}`;
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

async function timesMs(run: Run, name: string, runs: number, work: (i: number) => void): Promise<number[]> {
  const times: number[] = [];
  for await (const i of run.each(name, 'times', range(runs))) {
    const start = performance.now();
    work(i);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

const words = (length: number): string[] => Array.from({ length }, randomWord);

const row = (name: string, times: readonly number[], ratio?: number): void =>
  console.log(
    `${name.padEnd(34)} p50 ${percentile(times, 0.5).toFixed(3)} ms  p95 ${percentile(times, 0.95).toFixed(3)} ms` +
      (ratio === undefined ? '' : `  ${ratio.toFixed(0)} x faster than without an index`),
  );

await benchmark(async (run) => {
  const numbers = new TermDictionary();
  const index = new Bm25Index({ cards: numbers });
  const naive = new NaiveBm25();
  for await (const i of run.each('words', 'cards', range(CARDS))) naive.set(`card-${i}`, words(TOKENS));
  const cards = [...naive.cards];
  const built = await timesMs(run, 'building', CARDS / BUILT_TOGETHER, (i) => {
    for (const [cardId, tokens] of cards.slice(i * BUILT_TOGETHER, (i + 1) * BUILT_TOGETHER)) index.set(cardId, tokens);
  });
  const buildMs = built.reduce((sum, ms) => sum + ms, 0);
  const queries = Array.from({ length: QUERIES }, () => words(8));
  const queryOf = (i: number): string[] => queries[i % QUERIES] ?? [];
  const matching = (share: number): Set<string> => new Set([...naive.cards.keys()].filter(() => random() < share));
  console.log(`${CARDS} cards: built in ${buildMs.toFixed(0)} ms, ${(index.bytes / 2 ** 20).toFixed(0)} MiB in arrays`);

  const naiveTimes = await timesMs(run, 'without an index', NAIVE_QUERIES, (i) => naive.search(queryOf(i), 50));
  await timesMs(run, 'warming up', QUERIES, (i) => index.search(queryOf(i), 50));
  const all = await timesMs(run, 'all cards', QUERIES, (i) => index.search(queryOf(i), 50));
  row('without an index', naiveTimes);
  row('search, all cards', all, percentile(naiveTimes, 0.5) / percentile(all, 0.5));
  for (const share of [0.3, 0.03, 0.003]) {
    const ids = matching(share);
    const name = `search, ${ids.size} matching cards`;
    row(name, await timesMs(run, name, QUERIES, (i) => index.search(queryOf(i), 50, numbers.numbersOf(ids))));
  }
  const someIds = [...matching(0.005)];
  const someDocs = numbers.numbersByPlace(someIds);
  const exact = `exact scores of ${someIds.length} cards`;
  row(exact, await timesMs(run, exact, QUERIES, (i) => index.scores(queryOf(i), someDocs)));
  const update = (i: number): void => index.set(`card-${Math.floor(random() * CARDS)}`, words(TOKENS + (i % 3)));
  row('update of one card', await timesMs(run, 'updates', 2000, update));
});
