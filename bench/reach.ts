/**
 * Does HNSW find every record of a notebook of near-duplicates by its own vector, and what does a denser graph cost?
 *
 *     npm run bench -- reach
 *
 * 142 cards that differ in one generated word, and 2,000 that differ in most words, for several numbers of neighbours
 * (M).
 */
import { ChromaClient } from 'chromadb';
import { HNSW } from '../chroma/collections.js';
import { BuiltinEmbedder } from '../src/models/builtin.js';
import { startChroma } from '../src/runtime/embedded/chroma.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { WordWeights } from '../src/text/word-weights.js';
import { temporaryFolder } from './gateway.js';
import { percentile } from './measure.js';
import { notebook } from './notebook.js';
import { benchmark, range } from './run.js';

const NEIGHBOURS = [16, 32, 64];
const ASKED = 100;
const BATCH = 100;
const SYLLABLES = ['ba', 'ko', 'zi', 'tu', 'pe', 'xo', 'ju', 'wi', 'le', 'fy'];

const wordOf = (place: number): string =>
  [...String(place).padStart(3, '0')].map((digit) => SYLLABLES[Number(digit)]).join('');
const duplicates = Array.from(
  { length: 142 },
  (_, place) => `${wordOf(place)} in round ${place % 2}: how many apples are left?`,
);
const different = notebook(2_000).map(({ questionText }) => questionText);

const silent = (): undefined => undefined;

await benchmark(async (run) => {
  const { signal, closers } = run;
  const dataDir = await temporaryFolder(closers);
  const server = await startChroma({ dataDir, log: { debug: silent, info: silent, warn: console.error }, signal });
  closers.add('Chroma', () => server.close());
  const client = new ChromaClient({ host: '127.0.0.1', port: Number(new URL(server.url()).port) });
  const embedder = new BuiltinEmbedder(new Tokenizer(), new WordWeights());
  for (const [name, texts] of Object.entries({ duplicates, different })) {
    const vectors = (await embedder.embed(texts, 'passage', 'question', signal)).map((vector) => [...vector]);
    const ids = texts.map((_, place) => `card-${place}#0`);
    for (const max_neighbors of NEIGHBOURS) {
      const collection = await client.createCollection({
        name: `${name}-${max_neighbors}`,
        configuration: { hnsw: { ...HNSW, max_neighbors } },
        embeddingFunction: null,
      });
      const write = async (end: number): Promise<number> => {
        const started = performance.now();
        const starts = range(Math.ceil(end / BATCH)).map((batch) => batch * BATCH);
        for await (const at of run.each('writing', 'batches', starts)) {
          await collection.upsert({ ids: ids.slice(at, at + BATCH), embeddings: vectors.slice(at, at + BATCH) });
        }
        return performance.now() - started;
      };
      const buildMs = await write(ids.length);
      let lost = 0;
      const times: number[] = [];
      for await (const [place, vector] of run.each('asking', 'vectors', [...vectors.entries()])) {
        const started = performance.now();
        const answer = await collection.query({ queryEmbeddings: [vector], nResults: ASKED, include: ['distances'] });
        times.push(performance.now() - started);
        // A card with an identical text counts as well.
        if (!answer.ids[0]?.includes(String(ids[place])) && (answer.distances[0]?.[0] ?? 1) > 1e-5) lost += 1;
      }
      const againMs = await write(BATCH);
      console.log(
        `${name.padEnd(9)} M ${max_neighbors}: ${lost} of ${ids.length} not reached by their own vector; ` +
          `${Math.round(ids.length / (buildMs / 1000))} records/s, query p50 ${percentile(times, 0.5).toFixed(1)} ms, ` +
          `re-upsert of ${BATCH} ${Math.round(againMs)} ms`,
      );
    }
  }
});
