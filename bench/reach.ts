/**
 * Which HNSW settings does a collection need, and what do they cost?
 *
 *     npm run bench -- reach [--records 20000] [--asked 100] [--neighbors 16,32,64] [--construction 100,200]
 *         [--duplicates 142] [--perspective question] [--shift yes,no]
 *
 * For each number of neighbours (M) and each length of the candidate list while building (ef_construction):
 * `duplicates` cards that differ in one made-up word, of which each must be found by its own vector, and `records`
 * passages of the generated notebook in one perspective: how fast the first and the last tenth of them are written, how
 * long a query for 100 neighbours takes, and how many of the first ten it finds are as near as the ten nearest of all
 * (recall@10), for `asked` of the vectors. Then 200 records get another vector, and 200 others are deleted and added
 * again with another one: how many a second, and how many of them are then not found by their own vectors. In the
 * perspectives of topics and errors most passages are equal to others: `--shift no` stores the vectors as they are, and
 * not shifted a little, as the gateway does.
 */
import { ChromaClient, type Collection } from 'chromadb';
import { HNSW } from '../chroma/collections.js';
import { shifted } from '../chroma/shift.js';
import { StartupError } from '../src/domain/errors.js';
import { EXIT } from '../src/domain/exit-codes.js';
import { passagesOf } from '../src/domain/passages.js';
import { PERSPECTIVES } from '../src/domain/perspective.js';
import { BuiltinEmbedder } from '../src/models/builtin.js';
import { startChroma } from '../src/runtime/embedded/chroma.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { WordWeights } from '../src/text/word-weights.js';
import { temporaryFolder } from './gateway.js';
import { percentile } from './measure.js';
import { notebook } from './notebook.js';
import { benchmark, type Row, type Run, range, readOptions } from './run.js';

const options = readOptions({
  records: 20_000,
  asked: 100,
  neighbors: [16, 32, 64],
  duplicates: 142,
  construction: [100, 200],
  perspective: 'question',
  shift: 'yes',
});
const PERSPECTIVE = PERSPECTIVES.find((one) => one === options.perspective);
if (PERSPECTIVE === undefined) throw new StartupError(`--perspective is one of ${PERSPECTIVES.join(', ')}`, EXIT.usage);
const SHIFTS = options.shift.split(',');
if (SHIFTS.some((one) => one !== 'yes' && one !== 'no'))
  throw new StartupError('--shift is yes, no or both', EXIT.usage);
const { records: RECORDS, asked: ASKED } = options;
const NEAREST = 100;
const COMPARED = 10;
/** Cosines of equal vectors differ by less. */
const EQUAL = 1e-5;
const BATCH = 250;
const SYLLABLES = ['ba', 'ko', 'zi', 'tu', 'pe', 'xo', 'ju', 'wi', 'le', 'fy'];

const wordOf = (place: number): string =>
  [...String(place).padStart(3, '0')].map((digit) => SYLLABLES[Number(digit)]).join('');
const duplicates = Array.from(
  { length: options.duplicates },
  (_, place) => `${wordOf(place)} in round ${place % 2}: how many apples are left?`,
);
/** Records that get another vector, and that are deleted and added again. */
const RENEWED = 200;
const RENEWED_AT_ONCE = 20;
const silent = (): undefined => undefined;
const idOf = (place: number): string => `card-${place}#0`;

/** Writes the vectors in order; returns the records per second of the first and of the last tenth of the batches. */
async function write(
  run: Run,
  collection: Collection,
  vectors: readonly Float32Array[],
  isShifted: boolean,
): Promise<[number, number]> {
  const embeddings = vectors.map((vector, place) => [...(isShifted ? shifted(idOf(place), vector) : vector)]);
  const rates: number[] = [];
  const starts = range(Math.ceil(vectors.length / BATCH)).map((batch) => batch * BATCH);
  for await (const at of run.each('writing', 'batches', starts)) {
    const batch = embeddings.slice(at, at + BATCH);
    const started = performance.now();
    await collection.upsert({ ids: batch.map((_, place) => idOf(at + place)), embeddings: batch });
    rates.push((1000 * batch.length) / (performance.now() - started));
  }
  const tenth = Math.ceil(rates.length / 10);
  return [percentile(rates.slice(0, tenth), 0.5), percentile(rates.slice(-tenth), 0.5)];
}

/**
 * Gives the vectors to every `every`th record from `first` on: how many a second, and how many of these records a query
 * with their own vector then does not find.
 */
async function renew(
  run: Run,
  collection: Collection,
  {
    first,
    every,
    vectors,
    isDeleted,
    isShifted,
  }: {
    readonly first: number;
    readonly every: number;
    readonly vectors: readonly Float32Array[];
    readonly isDeleted: boolean;
    readonly isShifted: boolean;
  },
): Promise<{ readonly perSecond: number; readonly lost: number }> {
  const name = isDeleted ? 'deleting and adding' : 'replacing';
  const all = vectors.map((vector, at) => ({ id: idOf(first + at * every), vector }));
  let tookMs = 0;
  const starts = range(Math.ceil(all.length / RENEWED_AT_ONCE)).map((batch) => batch * RENEWED_AT_ONCE);
  for await (const at of run.each(name, 'batches', starts)) {
    const batch = all.slice(at, at + RENEWED_AT_ONCE);
    const ids = batch.map(({ id }) => id);
    const started = performance.now();
    if (isDeleted) await collection.delete({ ids });
    const embeddings = batch.map(({ id, vector }) => [...(isShifted ? shifted(id, vector) : vector)]);
    await collection.upsert({ ids, embeddings });
    tookMs += performance.now() - started;
  }
  let lost = 0;
  for (const { id, vector } of all) {
    const { places, nearestDistance } = await query(collection, vector);
    if (!places.some((place) => idOf(place) === id) && nearestDistance > EQUAL) lost += 1;
  }
  return { perSecond: (1000 * all.length) / tookMs, lost };
}

/** How near the {@link COMPARED}th nearest vector of all is, by exhaustive comparison. */
function reachOf(vectors: readonly Float32Array[], to: Float32Array): number {
  const cosines = vectors.map((one) => cosine(one, to));
  return cosines.sort((a, b) => b - a)[Math.min(COMPARED, cosines.length) - 1] ?? 0;
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] as number), 0);
}

interface Answer {
  readonly places: readonly number[];
  readonly nearestDistance: number;
  readonly tookMs: number;
}

async function query(collection: Collection, vector: Float32Array): Promise<Answer> {
  const started = performance.now();
  const { ids, distances } = await collection.query({
    queryEmbeddings: [[...vector]],
    nResults: NEAREST,
    include: ['distances'],
  });
  const tookMs = performance.now() - started;
  const places = (ids[0] ?? []).map((id) => Number(/\d+/.exec(id)?.[0]));
  return { places, nearestDistance: distances[0]?.[0] ?? 1, tookMs };
}

await benchmark(async (run) => {
  const { signal, closers } = run;
  const dataDir = await temporaryFolder(closers);
  const server = await startChroma({ dataDir, log: { debug: silent, info: silent, warn: console.error }, signal });
  closers.add('Chroma', () => server.close());
  const client = new ChromaClient({ host: '127.0.0.1', port: Number(new URL(server.url()).port) });
  const embedder = new BuiltinEmbedder(new Tokenizer(), new WordWeights());
  const embed = (texts: readonly string[]): Promise<readonly Float32Array[]> =>
    embedder.embed(texts, 'passage', PERSPECTIVE, signal);
  const alike = await embed(duplicates);
  const passages = notebook(RECORDS + 2 * RENEWED).flatMap((card) => passagesOf(card, embedder)[PERSPECTIVE]);
  const all = await embed(passages.slice(0, RECORDS + 2 * RENEWED).map(({ text }) => text));
  const [different, replacing, adding] = [
    all.slice(0, RECORDS),
    all.slice(RECORDS, RECORDS + RENEWED),
    all.slice(RECORDS + RENEWED),
  ];
  const every = Math.max(2, Math.floor(RECORDS / RENEWED));
  const step = Math.max(1, Math.floor(different.length / ASKED));
  const asked = range(ASKED).map((place) => different[place * step] as Float32Array);
  const reaches = asked.map((vector) => reachOf(different, vector));
  const rows: Row[] = [];
  const settings = options.neighbors.flatMap((max_neighbors) =>
    options.construction.flatMap((ef_construction) =>
      SHIFTS.map((one) => ({ max_neighbors, ef_construction, isShifted: one === 'yes' })),
    ),
  );
  for (const { max_neighbors, ef_construction, isShifted } of settings) {
    const create = (name: string): Promise<Collection> =>
      client.createCollection({
        name: `${name}-${max_neighbors}-${ef_construction}-${isShifted}`,
        configuration: { hnsw: { ...HNSW, max_neighbors, ef_construction } },
        embeddingFunction: null,
      });
    const similar = await create('duplicates');
    await write(run, similar, alike, isShifted);
    let lost = 0;
    for (const [place, vector] of alike.entries()) {
      const { places, nearestDistance } = await query(similar, vector);
      // A card with an identical text counts as well.
      if (!places.includes(place) && nearestDistance > EQUAL) lost += 1;
    }
    const large = await create('different');
    const [first, last] = await write(run, large, different, isShifted);
    const answers: Answer[] = [];
    for await (const vector of run.each('asking', 'vectors', asked)) answers.push(await query(large, vector));
    const shares = answers.map(({ places }, at) => {
      const isNear = (place: number): boolean =>
        cosine(different[place] as Float32Array, asked[at] as Float32Array) >= (reaches[at] as number) - EQUAL;
      return places.slice(0, COMPARED).filter(isNear).length / COMPARED;
    });
    const replaced = await renew(run, large, { first: 0, every, vectors: replacing, isDeleted: false, isShifted });
    const added = await renew(run, large, { first: 1, every, vectors: adding, isDeleted: true, isShifted });
    rows.push({
      M: max_neighbors,
      ef_construction,
      shift: isShifted ? 'yes' : 'no',
      'duplicates not reached': lost,
      'records/s, first tenth': first,
      'records/s, last tenth': last,
      'query p50, ms': percentile(
        answers.map(({ tookMs }) => tookMs),
        0.5,
      ),
      'recall@10': shares.reduce((sum, share) => sum + share, 0) / shares.length,
      'replaced/s': replaced.perSecond,
      'replaced, not reached': replaced.lost,
      'deleted and added/s': added.perSecond,
      'added, not reached': added.lost,
    });
    await client.deleteCollection({ name: large.name });
  }
  run.report('reach', rows);
});
