/**
 * How much slower are searches while the index of another model is built?
 *
 *     npm run bench:model-change -- [--cards 1000] [--rounds 100]
 *
 * One notebook, indexed by the built-in embedder. The same searches are run, one at a time, before the change of
 * `EMBEDDING_MODEL` and again after it, for as long as the new index is being built by a model made by code, which is as slow as
 * a small real one. Until the switch both are answered from the old index.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Closers } from '../src/domain/async.js';
import { type BenchGateway, loadCards, startBenchGateway } from './gateway.js';
import { percentile } from './measure.js';
import { notebook } from './notebook.js';
import { writeEmbedder } from './tiny-models.js';

const { values: options } = parseArgs({
  options: { cards: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '100' } },
});
const ROUNDS = Number(options.rounds);
const DIMS = 192;
const WARM_UP = 20;

const SEARCH = `query ($text: String!) {
  hybridSearch(text: $text, topK: 10) { hits { card { id } } receipt { embeddingModel } }
}`;
const STATUS = '{ indexStatus { building next { held cards } } }';

interface Answer {
  readonly hybridSearch: { readonly receipt: { readonly embeddingModel: string } };
}
interface Status {
  readonly indexStatus: {
    readonly building: boolean;
    readonly next: { readonly held: number; readonly cards: number } | null;
  };
}

const texts = notebook(500, 2).map(({ questionText }) => questionText);

/** Searches one after the other until `goOn` says no; the times of those that the built-in model answered, in ms. */
async function searchWhile(
  gateway: BenchGateway,
  goOn: (round: number) => Promise<boolean>,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; await goOn(round); round += 1) {
    const started = performance.now();
    const { hybridSearch } = await gateway.ask<Answer>(SEARCH, { text: texts[round % texts.length] ?? '' });
    const tookMs = performance.now() - started;
    if (round >= WARM_UP && hybridSearch.receipt.embeddingModel.startsWith('builtin:')) times.push(tookMs);
  }
  return times;
}

const closers = new Closers();
try {
  const folder = await mkdtemp(join(tmpdir(), 'errata-bench-change-'));
  closers.add('folder', () => rm(folder, { recursive: true, force: true }));
  await writeEmbedder(join(folder, 'models'), 'tiny/sized', { dims: DIMS, layers: 4 });

  const before = await startBenchGateway(folder);
  let plain: readonly number[];
  try {
    await loadCards(before, notebook(Number(options.cards)));
    plain = await searchWhile(before, async (round) => round < WARM_UP + ROUNDS);
  } finally {
    await before.close();
  }

  const settings = {
    EMBEDDING_MODEL: 'tiny/sized',
    EMBEDDING_DIMS: String(DIMS),
    EMBEDDING_POOLING: 'mean',
    EMBEDDING_MAX_TOKENS: '512',
    MODELS_DIR: join(folder, 'models'),
    MODELS_OFFLINE: 'true',
  };
  const changing = await startBenchGateway(folder, settings);
  closers.add('gateway', () => changing.close());
  const started = performance.now();
  const meanwhile = await searchWhile(
    changing,
    async () => (await changing.ask<Status>(STATUS, {})).indexStatus.building,
  );
  const seconds = (performance.now() - started) / 1000;
  if (meanwhile.length === 0)
    throw new Error('the new index was there before anything could be searched: take more cards');

  const of = (times: readonly number[], share: number): string => percentile(times, share).toFixed(1);
  console.log(`before: p50 ${of(plain, 0.5)} ms, p95 ${of(plain, 0.95)} ms of ${plain.length} searches`);
  console.log(
    `while the new index is built (${seconds.toFixed(0)} s): p50 ${of(meanwhile, 0.5)} ms, p95 ${of(meanwhile, 0.95)} ms of ${meanwhile.length} searches`,
  );
  console.log(`${(percentile(meanwhile, 0.5) / percentile(plain, 0.5)).toFixed(2)} x slower`);
} finally {
  await closers.close();
}
