import { describeExit, drain, forkChild, whenEnded } from './child.js';
import type { KeeperNews, KeeperOrder, KeeperSpec } from './keeper.js';
import type { StopStep } from './process.js';

/** How much longer than its own deadlines a keeper may take before it is killed itself. */
const KEEPER_GRACE_MS = 1_000;

/** How a program ended. */
export interface Ended {
  /** It ended by itself with exit code 0. */
  readonly well: boolean;
  /** In words. */
  readonly how: string;
}

/** A command that a keeper runs for us. */
export interface Kept {
  readonly pid: number;
  /** How it ended; never rejects. */
  readonly ended: Promise<Ended>;
  /** The last lines it printed. */
  readonly tail: () => string;
  readonly stop: (steps: readonly StopStep[]) => Promise<void>;
}

/** Runs a command under a keeper, so that it is stopped even where this process is killed. */
export async function keep(spec: KeeperSpec, onLine: (line: string) => void): Promise<Kept> {
  const keeper = forkChild('src/runtime/embedded/keeper.js', [JSON.stringify(spec)], spec.cwd);
  const tail = drain(keeper, onLine);
  let news: Ended = { well: false, how: 'its keeper was killed' };
  const ended = whenEnded(keeper).then((failure) => (failure === null ? news : { well: false, how: failure }));
  const running = new Promise<number>((resolve, reject) => {
    keeper.on('message', (message: KeeperNews) => {
      if (message.kind === 'running') return resolve(message.pid);
      news =
        message.kind === 'failed'
          ? { well: false, how: message.reason }
          : { well: message.code === 0, how: describeExit(message.code, message.signal) };
    });
    void ended.then(({ how }) => reject(new Error(`${spec.command} did not start: ${how}`)));
  });
  return {
    pid: await running,
    ended,
    tail,
    async stop(steps) {
      if (keeper.connected) keeper.send({ stop: steps } satisfies KeeperOrder, () => undefined);
      const deadlineMs = steps.reduce((sum, step) => sum + step.waitMs, KEEPER_GRACE_MS);
      const timer = setTimeout(() => keeper.kill('SIGKILL'), deadlineMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
