import type { RequestListener } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type CallMode, ChromaConnection } from '../../../chroma/client.js';
import { until } from '../../support/until.js';
import { answeringServers, failing, HEARTBEAT, status } from './answers.js';

const { connections, answering, connectionTo } = answeringServers();

describe('ChromaConnection', () => {
  /** A connection to a server whose answers change, and how often it has reported a stuck server. */
  async function watchedConnection() {
    // No call takes time but what it is said to take: a busy machine may answer after the deadline.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const server: { answer: RequestListener } = { answer: () => undefined };
    const connection = connectionTo(await answering((request, response) => server.answer(request, response)));
    const reports: true[] = [];
    connection.onStuck(() => reports.push(true));
    const isAnswered = async (mode: CallMode, answer: RequestListener | 'never'): Promise<boolean> => {
      // Closes the circuit breaker, and says nothing of writes and loads.
      server.answer = HEARTBEAT;
      const isClosed = () => connection.call('read', (client) => client.heartbeat()).catch(() => null);
      await until(async () => (await isClosed()) !== null, { deadlineMs: 30_000, what: 'the breaker to close' });
      server.answer = answer === 'never' ? () => undefined : answer;
      const beat = connection.call(mode, (client) => client.heartbeat()).catch(() => null);
      if (answer === 'never') vi.advanceTimersByTime(200);
      return (await beat) !== null;
    };
    return { reports, isAnswered };
  }

  test('reports a stuck server after two consecutive writes time out, but not for reads or refusals', async () => {
    const { reports, isAnswered } = await watchedConnection();
    for (const mode of ['read', 'read', 'write'] as const) expect(await isAnswered(mode, 'never')).toBe(false);
    for (let answered = false; !answered; ) answered = await isAnswered('write', HEARTBEAT);
    await isAnswered('write', 'never');
    for (let turn = 0; turn < 3; turn += 1) expect(await isAnswered('write', status(400, '{}'))).toBe(false);
    expect(reports).toHaveLength(0);
    await isAnswered('write', 'never');
    expect(reports).toHaveLength(1);
    await isAnswered('write', 'never');
    expect(reports).toHaveLength(1);
  });

  test.each(['write', 'load'] as const)(
    'reports a server that fails each %s with errors for as long as a write may take, once in that time',
    async (mode) => {
      const { reports, isAnswered } = await watchedConnection();
      const readOnly = failing('Query error: Database error: (code: 1032) attempt to write a readonly database');
      const failTwice = async () => {
        for (let turn = 0; turn < 2; turn += 1) expect(await isAnswered(mode, readOnly)).toBe(false);
      };
      await failTwice();
      vi.advanceTimersByTime(199);
      await failTwice();
      expect(await isAnswered(mode, HEARTBEAT)).toBe(true);
      vi.advanceTimersByTime(1);
      await failTwice();
      expect(reports).toHaveLength(0);
      vi.advanceTimersByTime(200);
      await failTwice();
      expect(reports).toHaveLength(1);
      vi.advanceTimersByTime(200);
      await failTwice();
      expect(reports).toHaveLength(2);
    },
  );

  test('reports a server that fails some loads, if no write has succeeded for as long as one may take', async () => {
    const { reports, isAnswered } = await watchedConnection();
    const readOnly = failing('Query error: Database error: (code: 1032) attempt to write a readonly database');
    expect(await isAnswered('write', readOnly)).toBe(false);
    expect(await isAnswered('load', readOnly)).toBe(false);
    vi.advanceTimersByTime(200);
    expect(await isAnswered('load', HEARTBEAT)).toBe(true);
    expect(reports).toHaveLength(0);
    expect(await isAnswered('load', readOnly)).toBe(false);
    expect(reports).toHaveLength(1);
  });

  test.each([
    ['refuses writes', status(400, '{"message":"a bad record"}')],
    ['has a full disk', failing('error returned from database: (code: 13) database or disk is full')],
    ['finds its data damaged', failing('Error creating hnsw segment reader')],
  ])('does not report a server that %s', async (_name, answer) => {
    const { reports, isAnswered } = await watchedConnection();
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await isAnswered('write', answer)).toBe(false);
      vi.advanceTimersByTime(200);
    }
    expect(reports).toHaveLength(0);
  });

  test.each([
    ['gives no answer for a minute', 'never', 1],
    ['is only late with every answer', 'late', 0],
  ] as const)('of a server that %s', async (_name, answers, reported) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let [asked, answered] = [0, 0];
    const late: RequestListener = (request, response) => {
      asked += 1;
      // Three calls, the probe, and whatever is asked then.
      if (answers === 'never' || asked <= 4) return;
      response.on('finish', () => {
        answered += 1;
      });
      const answer = request.url?.endsWith('/heartbeat') ? HEARTBEAT : status(200, '7');
      answer(request, response);
    };
    const url = await answering(late);
    const connection = new ChromaConnection(() => url, undefined, { read: 100, write: 1_000, load: 30_000 });
    connections.push(connection);
    const reports: true[] = [];
    connection.onStuck(() => reports.push(true));
    const beat = () => connection.call('read', (client) => client.heartbeat());
    for (let call = 0; call < 3; call += 1) await expect(beat()).rejects.toThrow('does not answer');
    vi.advanceTimersByTime(60_000);
    await expect(beat()).rejects.toThrow('circuit breaker open');
    const isOver = () => reports.length === 1 || answered === 2;
    await until(isOver, { deadlineMs: 30_000, what: 'the end of a patient ping' });
    await beat().catch(() => undefined);
    expect(reports).toHaveLength(reported);
  });

  test('reports a stuck server after one load times out, which has minutes', async () => {
    const { reports, isAnswered } = await watchedConnection();
    expect(await isAnswered('load', status(500, '{}'))).toBe(false);
    expect(reports).toHaveLength(0);
    expect(await isAnswered('load', 'never')).toBe(false);
    expect(reports).toHaveLength(1);
  });

  test.each([
    ['a late write', true],
    ['a late write and a restart', false],
    ['a write that was answered', false],
  ] as const)(
    'after %s, a server that takes longer for a load than a write may take is reported: %s',
    async (before, isReported) => {
      const server: { answer: RequestListener } = { answer: HEARTBEAT };
      const url = await answering((request, response) => server.answer(request, response));
      const connection = new ChromaConnection(() => url, undefined, { read: 30_000, write: 1_000, load: 30_000 });
      connections.push(connection);
      const reports: true[] = [];
      connection.onStuck(() => reports.push(true));
      const call = (mode: CallMode) => connection.call(mode, (client) => client.heartbeat());
      await call('write');
      if (before !== 'a write that was answered') {
        server.answer = () => undefined;
        await expect(call('write')).rejects.toThrow('does not answer');
      }
      if (before === 'a late write and a restart') connection.cameBack();
      server.answer = (request, response) => void setTimeout(() => HEARTBEAT(request, response), 2_500);
      await call('load');
      expect(reports).toHaveLength(isReported ? 1 : 0);
    },
  );
});
