/**
 * In which stages and functions does a search spend its time?
 *
 *     npm run bench -- profile [--cards 20000] [--searches 300]
 *
 * Unfiltered searches with the default settings over a generated notebook, without servers, under V8's sampling
 * profiler: the share of each stage in the time of the searches, and of each function in the samples (self time,
 * including its inlined callees).
 */
import { Session } from 'node:inspector/promises';
import { basename } from 'node:path';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import { percentile } from './measure.js';
import { memoryWorld, searchFor } from './memory-engine.js';
import { notebook } from './notebook.js';
import { benchmark, range, readOptions } from './run.js';

const options = readOptions({ cards: 20_000, searches: 300 });
const SEARCHES = options.searches;
const WARM_UP = 50;
const TOP_K = 10;
const SHOWN = 18;
const SAMPLED_EVERY_US = 200;
const cards = notebook(options.cards);
const texts = notebook(SEARCHES + WARM_UP, 2).map(({ questionText }) => questionText);
const { signal } = new AbortController();

const percent = (share: number): string => `${(100 * share).toFixed(1).padStart(5)} %`;

function add(sums: Map<string, number>, name: string, value: number): void {
  sums.set(name, (sums.get(name) ?? 0) + value);
}

function printShares(title: string, sums: ReadonlyMap<string, number>): void {
  const total = [...sums.values()].reduce((sum, value) => sum + value, 0);
  console.log(title);
  for (const [name, value] of [...sums].sort((a, b) => b[1] - a[1]).slice(0, SHOWN)) {
    console.log(`  ${percent(value / total)}  ${name}`);
  }
}

await benchmark(async (run) => {
  const { engine } = await memoryWorld(run.each('indexing', 'cards', cards), { hasColumns: true });
  const search = (place: number) => engine.search(DEFAULT_VIEWER, searchFor(texts[place] ?? '', TOP_K), signal);
  for await (const place of run.each('warming up', 'searches', range(WARM_UP))) await search(SEARCHES + place);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLED_EVERY_US });
  await session.post('Profiler.start');
  const times: number[] = [];
  const before = process.cpuUsage();
  const stages = new Map<string, number>();
  for await (const place of run.each('searching', 'searches', range(SEARCHES))) {
    const { receipt } = await search(place);
    times.push(receipt.tookMs);
    for (const { stage, tookMs } of receipt.stages) add(stages, stage, tookMs);
  }
  const { user, system } = process.cpuUsage(before);
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const functions = new Map<string, number>();
  for (const { callFrame, hitCount } of profile.nodes) {
    const { functionName, url, lineNumber } = callFrame;
    if (functionName === '(idle)' || functionName === '(program)') continue;
    const file = url === '' ? '' : ` ${basename(url)}:${lineNumber + 1}`;
    add(functions, `${functionName || '(anonymous)'}${file}`, hitCount ?? 0);
  }
  const processorMs = (user + system) / 1_000 / SEARCHES;
  console.log(
    `${cards.length} cards: ${processorMs.toFixed(1)} ms of processor time a search, p50 ${percentile(times, 0.5).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms`,
  );
  printShares('stages', stages);
  printShares('functions', functions);
});
