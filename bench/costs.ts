/**
 * What do the parts of a search cost? The planner chooses by these costs.
 *
 *     npm run bench -- costs [--cards 10000] [--rounds 40] [--data DIR]
 *
 * In one run: the cost of each additional card of a search that scores every match, from the receipts of searches that
 * differ only in this number; four concurrent queries of Chroma for 30 and for 1,000 neighbours; a scan of all cards;
 * comparing sparse vectors, and dense ones with four sums; reading a card's vectors from memory and from lmdb. `--data`
 * keeps the data in DIR for the next run.
 */
import { PERSPECTIVES } from '../src/domain/perspective.js';
import { BuiltinEmbedder } from '../src/models/builtin.js';
import { DenseScoring } from '../src/scoring/dense-lane.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { WordWeights } from '../src/text/word-weights.js';
import { LmdbVectorCache } from '../src/vectors/cache.js';
import { SparseColumns } from '../src/vectors/columns.js';
import { dot, type PackedVectors } from '../src/vectors/packed.js';
import { vectorsOf } from './card-vectors.js';
import { chromaOf, collectionsOf } from './collections.js';
import { type BenchGateway, loadCards, startBenchGateway, temporaryFolder } from './gateway.js';
import { compare, percentile } from './measure.js';
import { notebook } from './notebook.js';
import { benchmark, type Row, type Run, readOptions } from './run.js';

const options = readOptions({ cards: 10_000, rounds: 40, data: null });
const ROUNDS = options.rounds;
/** Cards whose vectors are compared in this process. */
const COMPARED = 2_000;
const MEMORY_BYTES = 64 * 2 ** 20;
const cards = notebook(options.cards);
const texts = notebook(ROUNDS, 2).map(({ questionText }) => questionText);
const text = (round: number): string => texts[round % texts.length] ?? '';

interface Receipt {
  readonly candidates: number;
  readonly tookMs: number;
}

/** With inferred labels, or if only scores decide, exact retrieval would score all cards first. */
const OPTIONS = { fusion: 'RRF', expand: false };

const SEARCH = `query ($text: String!, $filter: CardFilter, $options: SearchOptions) {
  hybridSearch(text: $text, topK: 10, filter: $filter, options: $options) {
    receipt { candidates tookMs }
  }
}`;

/** A row of the table: milliseconds as microseconds for each of `count`. */
function each(what: string, ms: number, count: number): Row {
  return { what, 'each, µs': (1000 * ms) / count };
}

async function searchCosts(run: Run, { ask }: BenchGateway): Promise<readonly Row[]> {
  const search = async (filter: object, round: number): Promise<Receipt> =>
    (await ask<{ hybridSearch: { receipt: Receipt } }>(SEARCH, { text: text(round), filter, options: OPTIONS }))
      .hybridSearch.receipt;
  const filters = { few: { grade: 'G6', subject: 'physics' }, many: { grade: 'G6' } };
  const receipts = byName(filters, (): Receipt[] => []);
  const contestants = byName(filters, (filter, name) => async (round: number) => {
    receipts[name].push(await search(filter, round));
  });
  await compare(run, ROUNDS, contestants);
  const median = (name: keyof typeof filters, of: (receipt: Receipt) => number): number =>
    percentile(receipts[name].map(of), 0.5);
  const candidates = ({ candidates: count }: Receipt): number => count;
  const exactMs = median('many', ({ tookMs }) => tookMs) - median('few', ({ tookMs }) => tookMs);
  return [each('exact: a scored card', exactMs, median('many', candidates) - median('few', candidates))];
}

async function chromaCosts(run: Run, gateway: BenchGateway, vectors: readonly number[][]): Promise<readonly Row[]> {
  const collections = await collectionsOf(chromaOf(gateway));
  const [few, many] = [30, 1_000];
  const asking = (nResults: number) => (round: number) => {
    const queryEmbeddings = [vectors[round % vectors.length] ?? []];
    return Promise.all(collections.map((one) => one.query({ queryEmbeddings, nResults, include: ['distances'] })));
  };
  const times = await compare(run, ROUNDS, { few: asking(few), many: asking(many) });
  const [fewMs, manyMs] = [percentile(times.few ?? [], 0.5), percentile(times.many ?? [], 0.5)];
  const neighbourMs = (manyMs - fewMs) / (many - few);
  const lanes = collections.length;
  return [
    each(`Chroma, ${lanes} queries at once: a query`, fewMs - few * neighbourMs, lanes),
    each(`Chroma, ${lanes} queries at once: a neighbour`, neighbourMs, lanes),
  ];
}

async function comparingCosts(
  run: Run,
  embedder: BuiltinEmbedder,
  queries: readonly Float32Array[],
): Promise<readonly Row[]> {
  const columns = new SparseColumns();
  const packed: PackedVectors[] = [];
  const whole: Float32Array[] = [];
  for await (const card of run.each('embedding', 'cards', cards.slice(0, COMPARED))) {
    const { vectors, packed: one } = await vectorsOf(card, embedder);
    packed.push(one);
    columns.set(String(card.id), one);
    whole.push(...PERSPECTIVES.flatMap((perspective) => vectors[perspective]));
  }
  const query = (round: number): Float32Array => queries[round % queries.length] as Float32Array;
  // The sum is used, so that the compiler cannot remove the loop.
  let sum = 0;
  const sums = new Float64Array(packed.length);
  const scoring = new DenseScoring();
  const contestants = {
    'by columns': async (round: number) => {
      for (const perspective of PERSPECTIVES) {
        const passages = columns.passages(perspective, [query(round)]);
        scoring.add({ kind: 'DENSE', weight: 1, passages, orMeanOf: null }, sums);
      }
      scoring.end();
    },
    'without zeros': async (round: number) => {
      for (const one of packed) {
        for (const perspective of PERSPECTIVES) sum += one.similarity(perspective, [query(round)]) ?? 0;
      }
    },
    'whole, four sums': async (round: number) => {
      for (const vector of whole) sum += dot(query(round), vector, 0);
    },
    'whole, one sum': async (round: number) => {
      for (const vector of whole) {
        let one = 0;
        for (let at = 0; at < vector.length; at++) one += (vector[at] as number) * (query(round)[at] as number);
        sum += one;
      }
    },
  };
  const times = await compare(run, ROUNDS, contestants);
  if (Number.isNaN(sum)) throw new Error('a sum is no number');
  const compared = Object.entries(times).map(([name, all]) =>
    each(`a card in four perspectives, ${name}`, percentile(all, 0.5), packed.length),
  );
  return [...(await readingCosts(run, packed)), ...compared];
}

async function readingCosts(run: Run, packed: readonly PackedVectors[]): Promise<readonly Row[]> {
  const folder = await temporaryFolder(run.closers);
  const cache = new LmdbVectorCache(folder, MEMORY_BYTES);
  cache.open();
  run.closers.add('cache', () => cache.close());
  await cache.put('t', 1, new Map(packed.map((vectors, place) => [String(place), vectors])));
  const small = new LmdbVectorCache(folder, 1);
  small.open();
  run.closers.add('small cache', () => small.close());
  const reading = (from: LmdbVectorCache) => async () => {
    for (let place = 0; place < packed.length; place++) {
      if (from.get('t', 1, String(place)) === undefined) throw new Error('a card is missing');
    }
  };
  const times = await compare(run, ROUNDS, { memory: reading(cache), lmdb: reading(small) });
  return Object.entries(times).map(([name, all]) =>
    each(`vectors of one card, read from ${name}`, percentile(all, 0.5), packed.length),
  );
}

function byName<Key extends string, From, To>(
  from: Readonly<Record<Key, From>>,
  of: (value: From, name: Key) => To,
): Record<Key, To> {
  const entries = Object.entries(from) as [Key, From][];
  return Object.fromEntries(entries.map(([name, value]) => [name, of(value, name)])) as Record<Key, To>;
}

await benchmark(async (run) => {
  const gateway = await startBenchGateway(run, options.data);
  const embedder = new BuiltinEmbedder(new Tokenizer(), new WordWeights());
  await loadCards(run, gateway, cards);
  const queries = await embedder.embed(texts, 'query', 'question', run.signal);
  const vectors = queries.map((vector) => [...vector]);
  run.report('costs', [
    ...(await searchCosts(run, gateway)),
    ...(await chromaCosts(run, gateway, vectors)),
    ...(await comparingCosts(run, embedder, queries)),
  ]);
});
