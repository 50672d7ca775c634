import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { asError, BadInputError } from '../../domain/errors.js';
import { type Call, type Calls, RESET, type Reply, type WorkerLimits } from './protocol.js';

/** Problems are stored and shown; they may quote a header or a value as long as a row. */
const MAX_PROBLEM_CHARS = 1_000;

/** A process that one job has left with more than this share of its memory limit is not used for another one. */
const FIT_SHARE = 0.5;

/**
 * Serves the calls of the gateway in order, until the gateway ends or kills this process. `create` makes the functions
 * of one job, with all that they keep between calls.
 */
export function serve(create: () => Calls): void {
  const limits = JSON.parse(process.argv[2] ?? '') as WorkerLimits;
  const watch = new Worker(new URL('./watch.js', import.meta.url), { workerData: limits });
  watch.unref();
  let calls = create();
  process.on('disconnect', () => process.exit());
  // It may have ended while the modules were loaded.
  if (!process.connected) process.exit();
  // The gateway has lowered the priority before it sends anything.
  process.once('message', lowerThreads);
  process.on('message', async (message: Call | typeof RESET) => {
    if (message === RESET) {
      calls = create();
      watch.postMessage(null);
      tell({ kind: 'answer', answer: process.memoryUsage.rss() < limits.memoryMb * 2 ** 20 * FIT_SHARE });
      return;
    }
    const { name, given } = message;
    try {
      tell({ kind: 'answer', answer: await calls[name]?.(given as never) });
    } catch (thrown) {
      const error = asError(thrown);
      if (error instanceof BadInputError) tell(refusalOf(error));
      else {
        const { message, stack = '', code }: NodeJS.ErrnoException = error;
        tell({ kind: 'failed', message, stack, code: code ?? null });
      }
    }
  });
}

/**
 * On Linux each thread has its own priority, and on a busy machine some threads start before the gateway has lowered
 * that of the first.
 */
function lowerThreads(): void {
  if (process.platform !== 'linux') return;
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), getPriority());
}

function refusalOf({ field, problem }: BadInputError): Reply {
  return { kind: 'refused', field, problem: problem.slice(0, MAX_PROBLEM_CHARS) };
}

function tell(reply: Reply): void {
  process.send?.(reply, () => undefined);
}
