/**
 * How fast is an import relative to raw upserts, and how does it affect searches and memory?
 *
 *     npm run bench -- import [--rows 10000] [--large 100000]
 *
 * One run, one Chroma. Sends `--rows` cards as JSON Lines to the gateway and waits until searches find all of them;
 * then upserts the same records into new collections of the same Chroma with its client, batch by batch. Then reads a
 * file of `--large` cards (0: none) in a dry run, and imports it: samples the gateway's own memory until the last row
 * is stored, while one client searches. It does not wait for the index of these cards.
 */
import type { Collection } from 'chromadb';
import { delay } from '../src/domain/async.js';
import type { ImportJob } from './client.js';
import { chromaOf, collectionsOf, emptyCollections, recordsOf } from './collections.js';
import { type BenchGateway, indexedAll, startBenchGateway } from './gateway.js';
import { percentile } from './measure.js';
import { linesOf, notebook } from './notebook.js';
import { memoryOf } from './resources.js';
import { benchmark, type Run, readOptions } from './run.js';

const { rows: ROWS, large: LARGE } = readOptions({ rows: 10_000, large: 100_000 });
const POLL_MS = 100;
/** Searches before the large import, to compare with. */
const IDLE_SEARCHES = 60;

/** Imports a file of so many rows, and waits until all are stored. */
async function imported(
  run: Run,
  { client }: BenchGateway,
  file: string,
  rows: number,
  dryRun = false,
): Promise<ImportJob> {
  const importing = run.step('importing', 'rows', rows);
  try {
    const options = { onDuplicate: 'MERGE', dryRun, onRead: (read: number) => importing.tell(read) } as const;
    return await client.import(file, options);
  } finally {
    importing.end();
  }
}

/** Upserts all records of the gateway's collections into new ones; returns their number and the time in ms. */
async function upsertRaw(
  run: Run,
  gateway: BenchGateway,
): Promise<{ readonly records: number; readonly tookMs: number }> {
  const client = chromaOf(gateway);
  const sources = await collectionsOf(client);
  const copies = await emptyCollections(client, 'raw');
  let records = 0;
  let tookMs = 0;
  for (const [lane, copy] of copies.entries()) {
    const batches = await recordsOf(sources[lane] as Collection);
    const started = performance.now();
    for await (const batch of run.each('raw upserts', 'batches', batches)) {
      await copy.upsert(batch);
      records += batch.ids.length;
    }
    tookMs += performance.now() - started;
    await client.deleteCollection({ name: copy.name });
  }
  return { records, tookMs };
}

const SEARCH = 'query ($text: String!) { hybridSearch(text: $text, topK: 10) { hits { score card { id } } } }';

/** Searches one after the other until `isOver`; returns the times in ms. */
async function searchUntil(
  gateway: BenchGateway,
  texts: readonly string[],
  isOver: (done: number) => boolean,
): Promise<readonly number[]> {
  const times: number[] = [];
  while (!isOver(times.length)) {
    const started = performance.now();
    await gateway.ask(SEARCH, { text: texts[times.length % texts.length] });
    times.push(performance.now() - started);
  }
  return times;
}

/** The peak of the gateway's anonymous memory during `work`, in MB. */
async function peakDuring<T>(pid: number, work: Promise<T>): Promise<{ readonly peak: number; readonly result: T }> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  // Awaited below. Prevents an unhandled rejection if reading the memory fails first.
  over.catch(() => undefined);
  let peak = 0;
  while (!isOver) {
    peak = Math.max(peak, (await memoryOf(pid))?.anonymous ?? Number.NaN);
    await delay(POLL_MS);
  }
  return { peak, result: await over };
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const rate = (count: number, ms: number): string => `${Math.round((1000 * count) / ms)}/s`;

await benchmark(async (run) => {
  const gateway = await startBenchGateway(run);
  const cards = notebook(ROWS);
  const texts = cards.slice(0, 200).map(({ questionText }) => questionText);
  const file = [...linesOf(cards, 'first')].join('');
  const started = performance.now();
  const job = await imported(run, gateway, file, ROWS);
  const storedMs = performance.now() - started;
  await indexedAll(run, () => gateway.client.pending());
  const searchableMs = performance.now() - started;
  console.log(`${job.read} rows: ${job.created} created, ${job.merged} merged, ${job.failed} failed`);
  const raw = await upsertRaw(run, gateway);
  run.report('import', [
    {
      rows: ROWS,
      'stored, s': storedMs / 1_000,
      'stored/s': (1_000 * ROWS) / storedMs,
      'searchable, s': searchableMs / 1_000,
      'searchable/s': (1_000 * ROWS) / searchableMs,
      records: raw.records,
      'raw upserts, s': raw.tookMs / 1_000,
      'raw records/s': (1_000 * raw.records) / raw.tookMs,
      'x raw': raw.tookMs / searchableMs,
    },
  ]);
  if (LARGE === 0) return;

  const large = [...linesOf(notebook(LARGE, 2), 'large')].join('');
  await searchUntil(gateway, texts, (done) => done >= IDLE_SEARCHES);
  const idle = await searchUntil(gateway, texts, (done) => done >= IDLE_SEARCHES);
  const idleMemory = (await memoryOf(gateway.pid))?.anonymous ?? Number.NaN;
  const dryStarted = performance.now();
  const dry = await peakDuring(gateway.pid, imported(run, gateway, large, LARGE, true));
  const dryMs = performance.now() - dryStarted;
  console.log(
    `\ndry run of ${dry.result.read} rows: ${seconds(dryMs)} (${rate(LARGE, dryMs)}), at most ${(dry.peak - idleMemory).toFixed(0)} MB above the ${idleMemory.toFixed(0)} MB before`,
  );
  let isOver = false;
  const importing = imported(run, gateway, large, LARGE).finally(() => {
    isOver = true;
  });
  const searching = searchUntil(gateway, texts, () => isOver);
  // Awaited below. If the import fails first, the gateway is closed during the searches, whose errors do not matter.
  searching.catch(() => undefined);
  const began = performance.now();
  const { peak, result } = await peakDuring(gateway.pid, importing);
  const largeMs = performance.now() - began;
  const meanwhile = await searching;
  console.log(
    `\n${result.read} rows stored in ${seconds(largeMs)} (${rate(LARGE, largeMs)}), ${(Buffer.byteLength(large) / 1e6).toFixed(0)} MB`,
  );
  console.log(
    `memory: ${idleMemory.toFixed(0)} MB before, at most ${peak.toFixed(0)} MB meanwhile: ${(peak - idleMemory).toFixed(0)} MB above`,
  );
  for (const share of [0.5, 0.95]) {
    const [before, during] = [percentile(idle, share), percentile(meanwhile, share)];
    console.log(
      `search p${100 * share}: ${before.toFixed(1)} ms before, ${during.toFixed(1)} ms meanwhile (${meanwhile.length} searches): ${(during / before).toFixed(2)} times`,
    );
  }
});
