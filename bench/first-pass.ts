import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { delay } from '../src/domain/async.js';
import { type Cpu, cpuBetween, cpuSoFar } from './cpu.js';
import type { Run } from './run.js';

/** Interval of reading the processor time until the pass has ended, in ms. */
const SAMPLE_MS = 200;

/** Maximum time from the start of a gateway to its first pass. */
const PASS_AFTER_S = 60;

/** A log line of a pass. */
interface PassEnded {
  readonly generations: number;
  readonly cards: number;
  readonly tookMs: number;
}

/** The first reconciliation of a gateway. */
interface FirstPass extends PassEnded {
  readonly cpu: Cpu;
}

/** Resolves when the log of a gateway with LOG_LEVEL=info reports a pass; passes warnings on to standard error. */
export function passEnded(log: Readable): Promise<PassEnded> {
  return new Promise((resolve) => {
    createInterface({ input: log }).on('line', (line) => {
      const entry = JSON.parse(line) as PassEnded & { readonly level: number; readonly msg: string };
      if (entry.level > 30) process.stderr.write(`${line}\n`);
      if (entry.msg === 'reconciliation pass ended') resolve(entry);
    });
  });
}

/**
 * Waits for the pass; the processor time is that of its duration, and counted in steps of {@link SAMPLE_MS}. Throws on
 * other systems than Linux.
 */
export async function firstPass(run: Run, ending: Promise<PassEnded>): Promise<FirstPass> {
  if (process.platform !== 'linux') throw new Error('processor times are read on Linux alone');
  const samples: { readonly atMs: number; readonly cpu: Cpu }[] = [];
  let pass: PassEnded | undefined;
  void ending.then((ended) => {
    pass = ended;
  });
  const waiting = run.step('waiting for the first pass', 's', PASS_AFTER_S);
  const started = performance.now();
  try {
    while (pass === undefined) {
      samples.push({ atMs: performance.now(), cpu: await cpuSoFar() });
      waiting.tell(Math.round((performance.now() - started) / 1_000));
      await delay(SAMPLE_MS, run.signal);
      run.signal.throwIfAborted();
    }
  } finally {
    waiting.end();
  }
  const beganMs = performance.now() - pass.tookMs - 2 * SAMPLE_MS;
  const before = samples.findLast(({ atMs }) => atMs <= beganMs) ?? samples[0];
  return { ...pass, cpu: cpuBetween(before?.cpu ?? new Map(), await cpuSoFar()) };
}
