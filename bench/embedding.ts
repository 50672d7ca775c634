/**
 * What does embedding in a separate process cost, relative to calling transformers.js directly?
 *
 *     npm run bench -- embedding [--rounds 200] [--texts 512] [--runs 20000] [--dims 192] [--layers 4]
 *
 * One run, one model made by code: `--layers` layers of `--dims`, so that a text takes as long as with a small real
 * model. First one query, then `--texts` passages by eight concurrent callers, through the gateway's embedder and
 * through the pipeline of transformers.js in this process. No text occurs twice, so caches do not help. Then `--runs`
 * runs of a very small model, with the memory of both processes.
 */
import { join } from 'node:path';
import { env, pipeline } from '@huggingface/transformers';
import { BatchedEmbedder } from '../src/models/batched-embedder.js';
import { EmbeddingCache } from '../src/models/embedding-cache.js';
import { Inference } from '../src/models/inference/inference.js';
import { LocalBackend } from '../src/models/local-backend.js';
import { temporaryFolder } from './gateway.js';
import { compare, percentile } from './measure.js';
import { notebook } from './notebook.js';
import { memoryOf } from './resources.js';
import { benchmark, type Row, type Run, readOptions } from './run.js';
import { writeEmbedder } from './tiny-models.js';

const options = readOptions({ rounds: 200, texts: 512, runs: 20_000, dims: 192, layers: 4 });
const ROUNDS = options.rounds;
const TEXTS = options.texts;
const RUNS = options.runs;
const DIMS = options.dims;
const CALLERS = 8;
/** The indexer embeds a batch of cards at a time; the pipeline gets as many texts as a run. */
const AT_ONCE = 32;
const SMALL_DIMS = 32;
const WARM_RUNS = 2_000;

const log = { debug: () => undefined, info: () => undefined, warn: console.error };

/** Different texts of different lengths, by seed. */
const textsOf = (count: number, seed: number): readonly string[] =>
  notebook(count, seed).map(({ questionText }, place) => `${questionText} ${seed}.${place}`);

function embedderOf(inference: Inference, cache: EmbeddingCache, folder: string, name: string, dims: number) {
  const model = { folder, repository: name, dtype: 'fp32', maxTokens: 512, pooling: 'mean' } as const;
  return new BatchedEmbedder({
    model: { name, dims, dtype: 'fp32', version: 1 },
    maxChars: 500,
    lowestCosine: null,
    prefixOf: () => '',
    backend: new LocalBackend(inference, model),
    cache,
  });
}

async function perSecond(
  run: Run,
  name: string,
  texts: readonly string[],
  embed: (some: readonly string[]) => Promise<unknown>,
  callers: number,
) {
  const parts = Array.from({ length: Math.ceil(texts.length / AT_ONCE) }, (_, part) =>
    texts.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  );
  const started = performance.now();
  await run.together(name, 'batches', parts, callers, embed);
  return (1000 * texts.length) / (performance.now() - started);
}

await benchmark(async (run) => {
  const { closers } = run;
  const folder = await temporaryFolder(closers);
  await writeEmbedder(folder, 'tiny/sized', { dims: DIMS, layers: options.layers });
  await writeEmbedder(folder, 'tiny/small', { dims: SMALL_DIMS });
  const cache = new EmbeddingCache(join(folder, 'cache'));
  cache.open();
  closers.add('cache', () => cache.close());
  const inference = new Inference(log);
  closers.add('inference', () => inference.close());

  env.allowRemoteModels = false;
  env.localModelPath = folder;
  const extract = await pipeline('feature-extraction', 'tiny/sized', { dtype: 'fp32', device: 'cpu' });
  closers.add('pipeline', () => extract.dispose());
  const direct = (texts: readonly string[]) => extract([...texts], { pooling: 'mean', normalize: true });
  const ours = embedderOf(inference, cache, folder, 'tiny/sized', DIMS);

  const [probe = ''] = textsOf(1, 1);
  const [own] = await ours.embed([probe], 'query', 'question', run.signal);
  const theirs = (await direct([probe])).data as Float32Array;
  const cosine = own?.reduce((sum, value, place) => sum + value * (theirs[place] ?? Number.NaN), 0) ?? Number.NaN;
  if (!(cosine > 0.9999)) throw new Error(`the two embed differently: cosine ${cosine}`);

  const queries = [textsOf(2 * ROUNDS, 2), textsOf(2 * ROUNDS, 3)] as const;
  let asked = 0;
  const times = await compare(run, ROUNDS, {
    direct: () => direct([queries[0][asked % (2 * ROUNDS)] ?? '']),
    ours: () => ours.embed([queries[1][asked++ % (2 * ROUNDS)] ?? ''], 'query', 'question', run.signal),
  });
  const [ourMs, directMs] = [percentile(times.ours ?? [], 0.5), percentile(times.direct ?? [], 0.5)];
  run.report('one query', [{ 'p50, ms': ourMs, 'directly, ms': directMs, ratio: directMs / ourMs }]);

  const rounds: Row[] = [];
  for (const round of [0, 1, 2]) {
    const passages = textsOf(TEXTS, 10 + round);
    const byPipeline = await perSecond(run, 'directly', passages, direct, 1);
    const byUs = await perSecond(
      run,
      'by the gateway',
      passages,
      (some) => ours.embed(some, 'passage', 'question', run.signal),
      CALLERS,
    );
    rounds.push({ 'texts a second': byUs, directly: byPipeline, ratio: byUs / byPipeline });
  }
  run.report('passages, by round', rounds);

  const small = embedderOf(inference, cache, folder, 'tiny/small', SMALL_DIMS);
  const texts = textsOf(RUNS, 4);
  const memory: Row[] = [];
  const tell = async (runs: number): Promise<void> => {
    const [child, parent] = [await memoryOf(inference.pid ?? 0), await memoryOf(process.pid)];
    if (child === null || parent === null) return;
    memory.push({ runs, 'inference process, MB': child.anonymous, 'this process, MB': parent.anonymous });
  };
  for await (const [done, text] of run.each('runs', 'texts', [...texts.entries()])) {
    if (done === WARM_RUNS || (done > 0 && done % (RUNS / 4) === 0)) await tell(done);
    await small.embed([text], 'query', 'question', run.signal);
  }
  await tell(RUNS);
  run.report('memory of their own (on Linux)', memory);
});
