/** How the studio asks for an import. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Api, ApiError } from '../../../studio/api/client.js';
import { askForJob, type Job } from '../../../studio/exchange/job.js';

const JOB = { id: 'job' } as Job;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A connection that answers the first request with this error, and the second with the job. */
function failsOnce(code: string): { readonly current: Pick<Api, 'run'>; asked: number } {
  const run = async () => {
    api.asked += 1;
    if (api.asked === 1) throw new ApiError(code, '');
    return { importJob: JOB };
  };
  const api = { asked: 0, current: { run } as unknown as Pick<Api, 'run'> };
  return api;
}

test.each(['OFFLINE', 'UNAUTHENTICATED', 'INTERNAL', 'UNAVAILABLE', 'RATE_LIMITED'])(
  'a job is asked for again after %s, which may pass',
  async (code) => {
    const api = failsOnce(code);
    const errors: string[] = [];
    const job = askForJob(api, { id: 'job' }, new AbortController().signal, (error) => errors.push(error.code));
    await vi.runAllTimersAsync();
    expect(await job).toBe(JOB);
    expect(errors).toEqual([code]);
  },
);

test.each(['NOT_FOUND', 'FORBIDDEN', 'BAD_USER_INPUT', 'GRAPHQL_VALIDATION_FAILED', 'PERSISTED_QUERY_NOT_FOUND'])(
  'a job is not asked for again after %s, which cannot pass',
  async (code) => {
    const api = failsOnce(code);
    const ask = askForJob(api, { id: 'job' }, new AbortController().signal, () => undefined);
    await expect(ask).rejects.toMatchObject({ code });
    expect(api.asked).toBe(1);
  },
);

test('a job is not asked for again after its page was left', async () => {
  const api = failsOnce('OFFLINE');
  const gone = new AbortController();
  const ask = askForJob(api, { id: 'job' }, gone.signal, () => gone.abort());
  const refused = expect(ask).rejects.toThrow('aborted');
  await vi.runAllTimersAsync();
  await refused;
  expect(api.asked).toBe(1);
});
