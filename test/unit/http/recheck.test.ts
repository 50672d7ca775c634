import type { FastifyRequest } from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { UnauthenticatedError, UnavailableError } from '../../../src/domain/errors.js';
import type { Caller } from '../../../src/domain/viewer.js';
import { recheckCaller } from '../../../src/http/recheck.js';

const caller: Caller = { tenantId: 'default', ownerId: 'amy', role: 'student', scopes: ['read', 'write'] };

test('a long response goes on while its credential cannot be checked, and ends when the credential is refused', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const refusal = new UnauthenticatedError('the API key is not valid');
  const answers: (Caller | Error)[] = [caller, new UnavailableError('database', 'no answer within 5000 ms'), refusal];
  const authenticate = async (): Promise<Caller> => {
    const answer = answers.shift() ?? caller;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const refused: Error[] = [];
  const request = { caller, headers: {} } as FastifyRequest;
  const onRefused = (reason: Error): void => void refused.push(reason);
  const stop = recheckCaller(request, { authenticator: { authenticate }, everyMs: 1_000, onRefused });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(answers).toEqual([refusal]);
  expect(refused).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(refused).toEqual([refusal]);
  stop();
});

test('a long response ends when the rights of its credential change', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const refused: Error[] = [];
  const stop = recheckCaller({ caller, headers: {} } as FastifyRequest, {
    authenticator: { authenticate: async () => ({ ...caller, role: 'teacher' }) },
    everyMs: 1_000,
    onRefused: (reason) => void refused.push(reason),
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(refused).toEqual([expect.any(UnauthenticatedError)]);
  stop();
});
