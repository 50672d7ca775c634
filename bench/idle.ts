/**
 * How much processor time does a gateway without requests use?
 *
 *     npm run bench -- idle [--seconds 120] [--cards 20000]
 *
 * A gateway with embedded PostgreSQL and Chroma, as started by `npm start`, with the sample notebook or `--cards`
 * generated cards. Prints the processor time of the reconciliation that begins a minute after the start; then, over
 * `--seconds`, the share of one core that each process uses (counted in steps of 10 ms).
 */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { abortable, Closers, delay } from '../src/domain/async.js';
import { cpuOfChildren } from './cpu.js';
import { asking, forkGateway, listening, loadCards, temporaryFolder } from './gateway.js';
import { notebook } from './notebook.js';
import { benchmark, type Run, range } from './run.js';

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '120' }, cards: { type: 'string' } },
});
const SECONDS = Number(options.seconds);

/** Interval of reading the processor time until the pass has ended, in ms. */
const SAMPLE_MS = 200;

/** Maximum time from the start of a gateway to its first pass. */
const PASS_AFTER_S = 60;

/** A log line of a pass. */
interface PassEnded {
  readonly cards: number;
  readonly tookMs: number;
}

type Cpu = ReadonlyMap<string, number>;

async function cpu(): Promise<Cpu> {
  const parts = await cpuOfChildren();
  if (parts === null) throw new Error('processor times are read on Linux alone');
  return parts;
}

/** The processor time between two samples, in ms, by part. */
function between(before: Cpu, after: Cpu): readonly (readonly [name: string, ms: number])[] {
  return [...after].map(([name, ms]) => [name, ms - (before.get(name) ?? 0)] as const);
}

/** Resolves when the log reports a pass. */
function firstPass(log: Readable): Promise<PassEnded> {
  return new Promise((resolve) => {
    createInterface({ input: log }).on('line', (line) => {
      const entry = JSON.parse(line) as PassEnded & { readonly level: number; readonly msg: string };
      if (entry.level > 30) process.stderr.write(`${line}\n`);
      if (entry.msg === 'reconciliation pass ended') resolve(entry);
    });
  });
}

/** Waits for the first pass; prints its processor time. */
async function printPass(run: Run, ending: Promise<PassEnded>): Promise<void> {
  const samples: { readonly atMs: number; readonly cpu: Cpu }[] = [];
  let pass: PassEnded | undefined;
  void ending.then((ended) => {
    pass = ended;
  });
  const waiting = run.step('waiting for the first pass', 's', PASS_AFTER_S);
  const started = performance.now();
  try {
    while (pass === undefined) {
      samples.push({ atMs: performance.now(), cpu: await cpu() });
      waiting.tell(Math.round((performance.now() - started) / 1_000));
      await delay(SAMPLE_MS, run.signal);
      run.signal.throwIfAborted();
    }
  } finally {
    waiting.end();
  }
  const beganMs = performance.now() - pass.tookMs - 2 * SAMPLE_MS;
  const before = samples.findLast(({ atMs }) => atMs <= beganMs) ?? samples[0];
  const parts = between(before?.cpu ?? new Map(), await cpu());
  const all = parts.reduce((sum, [, ms]) => sum + ms, 0);
  const each = parts.map(([name, ms]) => `${name} ${(ms / 1_000).toFixed(2)}`);
  console.log(
    `a pass over ${pass.cards} cards: ${(all / 1_000).toFixed(2)} s of processor time (${each.join(', ')}) in ${(pass.tookMs / 1_000).toFixed(1)} s`,
  );
}

async function printIdle(run: Run): Promise<void> {
  const before = await cpu();
  const started = performance.now();
  for await (const second of run.each('idle', 's', range(SECONDS))) {
    await delay(started + 1_000 * (second + 1) - performance.now(), run.signal);
  }
  const tookMs = performance.now() - started;
  const parts = between(before, await cpu());
  const share = (ms: number): string => `${((100 * ms) / tookMs).toFixed(3)} %`;
  for (const [name, ms] of parts) console.log(`${name.padEnd(12)}${share(ms).padStart(9)} of a core`);
  console.log(`${'total'.padEnd(12)}${share(parts.reduce((sum, [, ms]) => sum + ms, 0)).padStart(9)} of a core`);
}

await benchmark(async (run) => {
  const dataDir = await temporaryFolder(run.closers);
  const settings = { DATA_DIR: dataDir, LOG_LEVEL: 'info', SEED_SAMPLE: String(options.cards === undefined) };
  if (options.cards !== undefined) {
    // By a separate gateway: the measured one starts its pass a minute after its start.
    const loading = new Closers();
    run.closers.add('loading', loading.close);
    const url = await abortable(listening(forkGateway(loading, { ...settings, LOG_LEVEL: 'error' })), run.signal);
    await loadCards(run, { ask: asking(url, run.signal) }, notebook(Number(options.cards)));
    await loading.close();
  }
  const child = forkGateway(run.closers, settings, 'pipe');
  const pass = firstPass(child.stderr as Readable);
  await abortable(listening(child), run.signal);
  await printPass(run, pass);
  await printIdle(run);
});
