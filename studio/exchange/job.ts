import { type Api, type ApiError, asApiError, RETRIED, retryDelayMs } from '../api/client.js';
import { ImportProgress, type ImportProgressResult } from '../generated/operations.js';

export type Job = ImportProgressResult['importJob'];

/** Errors that may pass: asking for a job goes on after them. UNAUTHENTICATED passes when the person signs in again. */
const PASSING = new Set([...RETRIED, 'OFFLINE', 'UNAUTHENTICATED', 'INTERNAL']);

/**
 * The job, or the problems after a cursor. Asks again after errors that may pass; `onError` is told each of them.
 * ApiError for others; AbortError if the signal aborts.
 */
export function askForJob(
  latestApi: { readonly current: Pick<Api, 'run'> },
  variables: { readonly id: string; readonly problemsAfter?: string | null },
  signal: AbortSignal,
  onError: (error: ApiError) => void,
): Promise<Job> {
  const ask = async () => (await latestApi.current.run(ImportProgress, variables, signal)).importJob;
  return askUntilAnswered(ask, PASSING, signal, onError);
}

/** As {@link askForJob}, for any request and codes of errors that may pass. Rethrows what `onError` throws. */
export async function askUntilAnswered<Answer>(
  ask: () => Promise<Answer>,
  passing: ReadonlySet<string>,
  signal: AbortSignal,
  onError: (error: ApiError) => void,
): Promise<Answer> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await ask();
    } catch (thrown) {
      const error = asApiError(thrown);
      if (signal.aborted || !passing.has(error.code)) throw thrown;
      onError(error);
      await new Promise((resolve) => setTimeout(resolve, retryDelayMs(error, failures)));
      signal.throwIfAborted();
    }
  }
}
