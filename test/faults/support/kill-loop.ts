import { join } from 'node:path';
import { delay } from '../../../src/domain/async.js';
import { asError } from '../../../src/domain/errors.js';
import { seededRandom } from '../../../src/evaluation/random.js';
import { readIdentity, signal } from '../../../src/runtime/embedded/process.js';
import { type Gateway, startGateway } from '../../support/gateway.js';
import { indexed } from '../../support/notebook.js';
import { until } from '../../support/until.js';
import { FileTraffic } from './file-traffic.js';
import { tell } from './tally.js';
import { Writers } from './writers.js';

/** Whom a loop kills. */
export const VICTIMS = ['gateway', 'chroma', 'postgres'] as const;
/** One of {@link VICTIMS}. */
export type Victim = (typeof VICTIMS)[number];

/** What the loops came to. */
export interface Survived {
  readonly loops: number;
  readonly kills: Readonly<Record<Victim, number>>;
  readonly acknowledged: number;
  readonly lost: number;
  /** Imports that were acknowledged and exports that were read, where files were sent. */
  readonly files: FileTraffic['done'];
  readonly problems: readonly string[];
}

/**
 * A server that is killed again and again is started ever more rarely, once in 30 s at the least; and it has to read
 * its data.
 */
const BACK_WITHIN_MS = 60_000;

/** With files some hundred cards wait to be indexed, beside whatever else keeps the machine busy. */
const INDEXED_WITHIN_MS = 180_000;

/**
 * Once a loop, kills one part of a gateway with servers of its own at a random moment amid writes, and amid imports and
 * exports where `files` is true, lets it come back, and looks whether everything that was acknowledged is there and
 * found.
 */
export async function killLoop(
  dataDir: string,
  {
    loops,
    seed,
    victims = VICTIMS,
    files = false,
  }: {
    readonly loops: number;
    readonly seed: number;
    readonly victims?: readonly Victim[];
    readonly files?: boolean;
  },
): Promise<Survived> {
  const random = seededRandom(seed);
  const traffic = files ? new FileTraffic(random) : null;
  const writers = new Writers(random, () => traffic?.cards ?? 0);
  const kills: Record<Victim, number> = { gateway: 0, chroma: 0, postgres: 0 };
  const problems: string[] = [];
  let lost = 0;
  let gateway = await startGateway({ embedded: true, dataDir });
  try {
    for (let loop = 1; loop <= loops; loop += 1) {
      const victim = victims[Math.floor(random() * victims.length)] ?? 'gateway';
      const killAfterMs = 200 + random() * 1_500;
      gateway = await oneKill(gateway, { writers, traffic }, victim, killAfterMs);
      kills[victim] += 1;
      const ofFiles = (await traffic?.problems(gateway)) ?? [];
      const waiting = performance.now();
      await withOutput(gateway, indexed(gateway, INDEXED_WITHIN_MS));
      const waitedForIndexMs = Math.round(performance.now() - waiting);
      const found = await settled(gateway, writers, loop === loops);
      lost += found.lost;
      const all = [...ofFiles, ...found.problems];
      problems.push(...all.map((problem) => `loop ${loop}, ${victim} killed: ${problem}`));
      tell({ loop, victim, waitedForIndexMs, lost, problems: problems.length });
    }
  } finally {
    await gateway.close();
  }
  const done = traffic?.done ?? { imports: 0, exports: 0 };
  return { loops, kills, acknowledged: writers.acknowledged, lost, files: done, problems };
}

async function oneKill(
  gateway: Gateway,
  { writers, traffic }: { readonly writers: Writers; readonly traffic: FileTraffic | null },
  victim: Victim,
  killAfterMs: number,
): Promise<Gateway> {
  const stop = new AbortController();
  const writing = Promise.all([writers.write(gateway, stop.signal), traffic?.run(gateway, stop.signal)]);
  // On a busy machine the first change may take longer than the time before the kill.
  const before = writers.acknowledged;
  const acknowledged = () => writers.acknowledged > before;
  await until(acknowledged, { deadlineMs: BACK_WITHIN_MS, what: 'a change to be acknowledged' });
  await delay(killAfterMs);
  if (victim === 'gateway') {
    gateway.kill('SIGKILL');
    stop.abort();
    await writing;
    await gateway.close();
    return startGateway({ embedded: true, dataDir: gateway.dataDir });
  }
  const recorded = () => readIdentity(join(gateway.dataDir, victim, 'running.json'));
  const killed = await recorded();
  if (killed === null) throw new Error(`no ${victim} is recorded`);
  signal(killed.pid, 'SIGKILL');
  const another = async (): Promise<boolean> => {
    const now = await recorded();
    return now !== null && (now.pid !== killed.pid || now.startedAt !== killed.startedAt);
  };
  try {
    await withOutput(gateway, until(another, { deadlineMs: BACK_WITHIN_MS, what: `another ${victim}` }));
  } finally {
    stop.abort();
    await writing;
  }
  return gateway;
}

/** A wait that fails says what the gateway logged last. */
async function withOutput<T>(gateway: Gateway, waiting: Promise<T>): Promise<T> {
  return waiting.catch((cause: unknown) => {
    throw new Error(`${asError(cause).message}; the gateway's last output\n${lastEvents(gateway)}`, { cause });
  });
}

/** The end of what the gateway logged, without its requests: those of a test that waits would be all of it. */
export function lastEvents(gateway: Gateway): string {
  const lines = gateway.output().split('\n');
  return lines
    .filter((line) => !line.includes('"msg":"request completed"'))
    .join('\n')
    .slice(-10_000);
}

/**
 * What is wrong with a gateway once its servers answer again and its searches are whole; see {@link Writers.problems}.
 * One whose servers have just come back refuses some calls for a moment; what is still wrong then is wrong.
 */
export async function settled(gateway: Gateway, writers: Writers, all: boolean): ReturnType<Writers['problems']> {
  const healthy = async (): Promise<boolean> => {
    const { detail } = (await (await fetch(new URL('/readyz', gateway.url))).json()) as {
      detail: Record<string, string>;
    };
    return detail.database === 'ok' && detail.chroma === 'ok';
  };
  await until(healthy, { deadlineMs: BACK_WITHIN_MS, what: 'both servers to answer' });
  const lanes = async (): Promise<boolean> => {
    const { data } = await gateway.gql<{ similarQuestions: { receipt: { degraded: unknown[] } } }>(
      '{ similarQuestions(text: "apples", options: { fusion: RRF }) { receipt { degraded { part } } } }',
    );
    return data?.similarQuestions.receipt.degraded.length === 0;
  };
  await until(lanes, { deadlineMs: BACK_WITHIN_MS, what: 'searches to be whole again' });
  await indexed(gateway);
  return writers.problems(gateway, { all });
}
