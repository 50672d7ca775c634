import { describeExit, drain, forkChild, whenEnded } from './child.js';
import type { StopStep } from './process.js';
import type { WatchdogMessage, WatchdogOrder, WatchedCommand } from './watchdog.js';

/** How long a watchdog may exceed its own deadlines before it is killed. */
const WATCHDOG_GRACE_MS = 1_000;

export interface Ended {
  /** Exit code 0. */
  readonly ok: boolean;
  /** For messages. */
  readonly how: string;
}

export interface WatchedProcess {
  readonly pid: number;
  /** Never rejects. */
  readonly ended: Promise<Ended>;
  /** The last lines of its output. */
  readonly tail: () => string;
  readonly stop: (steps: readonly StopStep[]) => Promise<void>;
}

/** Runs a command under a watchdog, which stops it even if this process is killed. Rejects if it cannot be started. */
export async function runWatched(spec: WatchedCommand, onLine: (line: string) => void): Promise<WatchedProcess> {
  const watchdog = forkChild('src/runtime/embedded/watchdog.js', [JSON.stringify(spec)], spec.cwd);
  const tail = drain(watchdog, onLine);
  let outcome: Ended = { ok: false, how: 'its watchdog was killed' };
  const ended = whenEnded(watchdog).then((failure) => (failure === null ? outcome : { ok: false, how: failure }));
  const running = new Promise<number>((resolve, reject) => {
    watchdog.on('message', (message: WatchdogMessage) => {
      if (message.kind === 'running') return resolve(message.pid);
      outcome =
        message.kind === 'failed'
          ? { ok: false, how: message.reason }
          : { ok: message.code === 0, how: describeExit(message.code, message.signal) };
    });
    void ended.then(({ how }) => reject(new Error(`${spec.command} did not start: ${how}`)));
  });
  return {
    pid: await running,
    ended,
    tail,
    async stop(steps) {
      if (watchdog.connected) watchdog.send({ stop: steps } satisfies WatchdogOrder, () => undefined);
      const deadlineMs = steps.reduce((sum, step) => sum + step.waitMs, WATCHDOG_GRACE_MS);
      const timer = setTimeout(() => watchdog.kill('SIGKILL'), deadlineMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
