/**
 * How much processor time does a gateway without requests use?
 *
 *     npm run bench -- idle [--seconds 120] [--cards 20000]
 *
 * A gateway with embedded PostgreSQL and Chroma, as started by `npm start`, with the sample notebook or `--cards`
 * generated cards. Prints the processor time of the reconciliation that begins a minute after the start; then, over
 * `--seconds`, the share of one core that each process uses (counted in steps of 10 ms). Weights are not learned: that
 * begins two minutes after the start, once for a new notebook, and would be most of what is counted.
 */
import type { Readable } from 'node:stream';
import { abortable, Closers, delay } from '../src/domain/async.js';
import { Client } from './client.js';
import { cpuBetween, cpuSoFar, sumOf } from './cpu.js';
import { firstPass, passEnded } from './first-pass.js';
import { forkGateway, listening, loadCards, temporaryFolder } from './gateway.js';
import { notebook } from './notebook.js';
import { benchmark, numberOf, type Run, range, readOptions } from './run.js';

const options = readOptions({ seconds: 120, cards: null });
const SECONDS = options.seconds;

/** Waits for the first pass; prints its processor time. */
async function printPass(run: Run, ending: ReturnType<typeof passEnded>): Promise<void> {
  const { cards, cpu, tookMs } = await firstPass(run, ending);
  const seconds = [...cpu, ['total', sumOf(cpu)] as const].map(([name, ms]) => [`${name}, cpu s`, ms / 1_000]);
  run.report('first pass', [{ cards, 'took, s': tookMs / 1_000, ...Object.fromEntries(seconds) }]);
}

async function printIdle(run: Run): Promise<void> {
  const before = await cpuSoFar();
  const started = performance.now();
  for await (const second of run.each('idle', 's', range(SECONDS))) {
    await delay(started + 1_000 * (second + 1) - performance.now(), run.signal);
  }
  const tookMs = performance.now() - started;
  const cpu = cpuBetween(before, await cpuSoFar());
  run.report(
    'idle',
    [...cpu, ['total', sumOf(cpu)] as const].map(([of, ms]) => ({ of, '% of a core': (100 * ms) / tookMs })),
  );
}

await benchmark(async (run) => {
  const dataDir = await temporaryFolder(run.closers);
  const settings = {
    DATA_DIR: dataDir,
    LOG_LEVEL: 'info',
    LEARN_WEIGHTS: 'false',
    SEED_SAMPLE: String(options.cards === null),
  };
  if (options.cards !== null) {
    // By a separate gateway: the measured one starts its pass a minute after its start.
    const loading = new Closers();
    run.closers.add('loading', loading.close);
    const url = await abortable(listening(forkGateway(loading, { ...settings, LOG_LEVEL: 'error' })), run.signal);
    await loadCards(run, new Client(url, '', run.signal), notebook(numberOf('cards', options.cards)));
    await loading.close();
  }
  const child = forkGateway(run.closers, settings, 'pipe');
  const pass = passEnded(child.stderr as Readable);
  await abortable(listening(child), run.signal);
  await printPass(run, pass);
  await printIdle(run);
});
