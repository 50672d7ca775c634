import { Worker } from 'node:worker_threads';
import { asError, BadInputError } from '../../domain/errors.js';
import type { Call, Calls, Reply, WorkerLimits } from './protocol.js';

/** What is wrong may be named by a header or a value as long as a row: it is stored and shown. */
const MAX_PROBLEM_CHARS = 1_000;

/** Answers the calls of the gateway that forked this process, one after the other, until the gateway ends or ends it. */
export function serve(calls: Calls): void {
  const limits = JSON.parse(process.argv[2] ?? '') as WorkerLimits;
  new Worker(new URL('./watch.js', import.meta.url), { workerData: limits }).unref();
  process.on('disconnect', () => process.exit());
  process.on('message', async ({ name, given }: Call) => {
    try {
      tell({ kind: 'answer', answer: await calls[name]?.(given as never) });
    } catch (thrown) {
      const error = asError(thrown);
      if (error instanceof BadInputError) tell(refusalOf(error));
      else tell({ kind: 'failed', message: error.message, stack: error.stack ?? '' });
    }
  });
}

function refusalOf({ field, problem }: BadInputError): Reply {
  return { kind: 'refused', field, problem: problem.slice(0, MAX_PROBLEM_CHARS) };
}

function tell(reply: Reply): void {
  process.send?.(reply, () => undefined);
}
