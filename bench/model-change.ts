/**
 * How much slower are searches while the index of another embedding model is built?
 *
 *     npm run bench -- model-change [--cards 1000] [--rounds 100]
 *
 * One notebook, indexed by the built-in embedder. The same searches run, one at a time, before `EMBEDDING_MODEL` is
 * changed, and after that for as long as the new index is being built by a model made by code, which is as slow as a
 * small real one. Until the switch both are answered from the old index.
 */
import { join } from 'node:path';
import { type BenchGateway, loadCards, startBenchGateway, temporaryFolder } from './gateway.js';
import { latencies, percentile } from './measure.js';
import { notebook } from './notebook.js';
import { benchmark, type Run, range, readOptions } from './run.js';
import { writeEmbedder } from './tiny-models.js';

const { cards: CARDS, rounds: ROUNDS } = readOptions({ cards: 1000, rounds: 100 });
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

/** The time of a search in ms; null if the built-in model did not answer it. */
async function search({ ask }: BenchGateway, round: number): Promise<number | null> {
  const started = performance.now();
  const { hybridSearch } = await ask<Answer>(SEARCH, { text: texts[Math.abs(round) % texts.length] ?? '' });
  return hybridSearch.receipt.embeddingModel.startsWith('builtin:') ? performance.now() - started : null;
}

/**
 * Searches one after the other until the new index is live; returns the times of those that the old one answered, in
 * ms.
 */
async function searchWhileBuilding(run: Run, gateway: BenchGateway): Promise<readonly number[]> {
  const times: number[] = [];
  const building = run.step('building the new index', 'cards', CARDS);
  try {
    for (let round = 0; ; round += 1) {
      const { indexStatus } = await gateway.ask<Status>(STATUS, {});
      if (!indexStatus.building) return times;
      building.tell(indexStatus.next?.held ?? 0);
      const tookMs = await search(gateway, round);
      if (round >= WARM_UP && tookMs !== null) times.push(tookMs);
    }
  } finally {
    building.end();
  }
}

await benchmark(async (run) => {
  const folder = await temporaryFolder(run.closers);
  await writeEmbedder(join(folder, 'models'), 'tiny/sized', { dims: DIMS, layers: 4 });

  const before = await startBenchGateway(run, folder);
  await loadCards(run, before, notebook(CARDS));
  const plain: number[] = [];
  for await (const round of run.each('before', 'searches', range(ROUNDS, -WARM_UP))) {
    const tookMs = await search(before, round);
    if (round >= 0 && tookMs !== null) plain.push(tookMs);
  }
  await before.close();

  const settings = {
    EMBEDDING_MODEL: 'tiny/sized',
    EMBEDDING_DIMS: String(DIMS),
    EMBEDDING_POOLING: 'mean',
    EMBEDDING_MAX_TOKENS: '512',
    MODELS_DIR: join(folder, 'models'),
    MODELS_OFFLINE: 'true',
  };
  const changing = await startBenchGateway(run, folder, settings);
  const started = performance.now();
  const meanwhile = await searchWhileBuilding(run, changing);
  const seconds = (performance.now() - started) / 1000;
  if (meanwhile.length === 0) throw new Error('the new index was complete before the first search: use more --cards');

  const row = (when: string, times: readonly number[]) => ({
    when,
    searches: times.length,
    ...latencies(times),
    'p50, relative': percentile(times, 0.5) / percentile(plain, 0.5),
  });
  const building = `while the new index is built (${seconds.toFixed(0)} s)`;
  run.report('searches', [row('before', plain), row(building, meanwhile)]);
});
