/**
 * How fast is an index built, relative to raw upserts of the same records?
 *
 *     npm run bench -- indexing [--cards 2000] [--rounds 3]
 *
 * One run, one Chroma: `rebuildIndex` reads every card, divides it into passages, embeds them with the built-in
 * embedder, and writes four collections, the vector cache and the ledger. Then the records of those collections
 * (vectors and metadata) are upserted into four new ones with the same settings, 250 per call: one call at a time, and
 * again four at a time, one per collection, as the indexer writes them. Processor times by process show where the time
 * goes, even on a busy machine.
 */
import { delay } from '../src/domain/async.js';
import { chromaOf, collectionsOf, emptyCollections, recordsOf } from './collections.js';
import { cpuBetween, cpuSoFar } from './cpu.js';
import { type BenchGateway, loadCards, startBenchGateway } from './gateway.js';
import { percentile } from './measure.js';
import { notebook } from './notebook.js';
import { benchmark, type Row, type Run, readOptions } from './run.js';

const options = readOptions({ cards: 2000, rounds: 3 });
const CARDS = options.cards;

/** Progress is asked so often: the questions take the gateway's time too. */
const LOOK_MS = 100;

/** The time that the work takes, in seconds, and the processor time of each part meanwhile. */
async function spent(work: () => Promise<unknown>): Promise<{ readonly seconds: number; readonly cpu: Row }> {
  const before = await cpuSoFar();
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1000;
  const cpu = cpuBetween(before, await cpuSoFar());
  return { seconds, cpu: Object.fromEntries([...cpu].map(([name, ms]) => [`${name}, cpu s`, ms / 1000])) };
}

/** Rebuilds the index. */
async function rebuild(run: Run, { ask }: BenchGateway): Promise<void> {
  await ask('mutation { rebuildIndex { building } }', {});
  const next = async (): Promise<{ readonly held: number } | null> =>
    (await ask<{ indexStatus: { next: { held: number } | null } }>('{ indexStatus { next { held } } }', {})).indexStatus
      .next;
  const building = run.step('building anew', 'cards', CARDS);
  try {
    for (let now = await next(); now !== null; now = await next()) {
      building.tell(now.held);
      await delay(LOOK_MS, run.signal);
    }
  } finally {
    building.end();
  }
}

await benchmark(async (run) => {
  const gateway = await startBenchGateway(run);
  await loadCards(run, gateway, notebook(CARDS));
  const client = chromaOf(gateway);
  const rows: Row[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    const { seconds, cpu } = await spent(() => rebuild(run, gateway));
    const records = await Promise.all((await collectionsOf(client)).map(recordsOf));
    const count = records.flat().reduce((sum, { ids }) => sum + ids.length, 0);
    const raw = await emptyCollections(client, `raw-${round}`);
    const batches = records.flatMap((ofLane, lane) => ofLane.map((batch) => ({ lane, batch })));
    const { seconds: rawSeconds, cpu: rawCpu } = await spent(async () => {
      for await (const { lane, batch } of run.each('raw upserts', 'batches', batches)) await raw[lane]?.upsert(batch);
    });
    const atOnce = await emptyCollections(client, `raw-at-once-${round}`);
    const { seconds: atOnceSeconds } = await spent(() =>
      Promise.all(
        records.map(async (ofLane, lane) => {
          for (const batch of ofLane) await atOnce[lane]?.upsert(batch);
        }),
      ),
    );
    for (const { name } of [...raw, ...atOnce]) await client.deleteCollection({ name });
    rows.push({
      round,
      records: count,
      'index built, s': seconds,
      'records/s': count / seconds,
      'raw upserts, s': rawSeconds,
      'raw records/s': count / rawSeconds,
      'four at a time, s': atOnceSeconds,
      'x raw': rawSeconds / seconds,
      ...cpu,
      'raw Chroma, cpu s': rawCpu['Chroma, cpu s'] ?? Number.NaN,
    });
  }
  run.report('indexing', rows);
  const ratios = rows.map((row) => Number(row['x raw']));
  console.log(`\nthe median of the rounds: ${percentile(ratios, 0.5).toFixed(2)} x raw upserts`);
});
