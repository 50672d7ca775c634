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
import { latencies } from './measure.js';
import { memoryWorld, searchFor } from './memory-engine.js';
import { notebook } from './notebook.js';
import { benchmark, type Row, range, readOptions } from './run.js';

const options = readOptions({ cards: 20_000, searches: 300 });
const SEARCHES = options.searches;
const WARM_UP = 50;
const TOP_K = 10;
const SHOWN = 18;
const SAMPLED_EVERY_US = 200;
const cards = notebook(options.cards);
const texts = notebook(SEARCHES + WARM_UP, 2).map(({ questionText }) => questionText);

function add(sums: Map<string, number>, name: string, value: number): void {
  sums.set(name, (sums.get(name) ?? 0) + value);
}

/** The largest ones, in percent. */
function sharesOf(sums: ReadonlyMap<string, number>): readonly Row[] {
  const total = [...sums.values()].reduce((sum, value) => sum + value, 0);
  const largest = [...sums].sort((a, b) => b[1] - a[1]).slice(0, SHOWN);
  return largest.map(([of, value]) => ({ of, 'share, %': (100 * value) / total }));
}

await benchmark(async (run) => {
  const { engine } = await memoryWorld(run.each('indexing', 'cards', cards), { hasColumns: true });
  const search = (place: number) => engine.search(DEFAULT_VIEWER, searchFor(texts[place] ?? '', TOP_K), run.signal);
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
  run.report('searches', [{ cards: cards.length, 'processor time, ms': processorMs, ...latencies(times) }]);
  run.report('stages', sharesOf(stages));
  run.report('functions', sharesOf(functions));
});
