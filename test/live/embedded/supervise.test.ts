import { describe, expect, test } from 'vitest';
import { delay } from '../../../src/domain/async.js';
import { type Running, supervise } from '../../../src/runtime/embedded/supervise.js';
import { cleanups, embeddedOptions } from '../../support/embedded.js';
import { until } from '../../support/until.js';

const BACKOFF = { firstMs: 4, maxMs: 16, steadyMs: 60_000 };
const SOON = { deadlineMs: 30_000, what: 'the supervisor to act' };

describe('the supervisor of an embedded server', () => {
  const atEnd = cleanups();

  /** A server that ends as `script` says, one word a start; when that is used up it stays. */
  async function superviseScript(script: readonly string[], backoff = BACKOFF) {
    const options = embeddedOptions('');
    const starts: string[] = [];
    const stopped: number[] = [];
    const launch = async (): Promise<Running> => {
      const fate = script[starts.length] ?? 'stays';
      starts.push(fate);
      if (fate === 'does not start') throw new Error('address not available');
      let end: (how: string) => void = () => undefined;
      const ended = new Promise<string>((resolve) => {
        end = resolve;
      });
      const pid = starts.length;
      if (fate !== 'stays') end(fate);
      return {
        pid,
        ended,
        stop: async () => {
          stopped.push(pid);
          end('it was stopped');
        },
      };
    };
    const server = await supervise({ name: 'server', launch, log: options.log, signal: options.signal, backoff });
    atEnd(() => server.close());
    return { server, starts, stopped, lines: options.lines };
  }

  test('restarts a server however it ended, including exit code 0 and failed starts, with one log line for each delay', async () => {
    const script = ['it ended with exit code 0', 'it was ended by SIGKILL', 'does not start'];
    const { server, starts, lines } = await superviseScript(script);
    await until(() => starts.length === 4 && server.state === 'ready', SOON);
    const downs = lines.filter(({ message }) => message === 'server is down and will be restarted');
    expect(downs.map(({ facts }) => facts.reason)).toEqual([...script.slice(0, 2), 'address not available']);
    expect(downs.map(({ facts }) => facts.attempt)).toEqual([1, 2, 3]);
    expect(server.pid).toBe(4);
  });

  test('increases the delay up to its limit, and reports a server that keeps ending as broken', async () => {
    const { server, starts, lines } = await superviseScript(Array.from({ length: 9 }, () => 'it died'));
    await until(() => starts.length === 10, SOON);
    const waits = lines.filter(({ facts }) => 'waitMs' in facts).map(({ facts }) => Number(facts.waitMs));
    expect(waits).toHaveLength(9);
    for (const [attempt, waitMs] of waits.entries()) {
      const step = Math.min(BACKOFF.maxMs, BACKOFF.firstMs * 2 ** attempt);
      expect(waitMs).toBeGreaterThanOrEqual(step / 2);
      expect(waitMs).toBeLessThanOrEqual(step);
    }
    const states = lines.filter(({ facts }) => 'state' in facts).map(({ facts }) => facts.state);
    expect(states).toEqual([...Array(5).fill('backoff'), ...Array(4).fill('broken')]);
    await until(() => server.state === 'ready', SOON);
  });

  test('starts with short delays again after a long uptime', async () => {
    const { starts, lines } = await superviseScript(['a', 'b', 'c'], { ...BACKOFF, steadyMs: 0 });
    await until(() => starts.length === 4, SOON);
    expect(lines.filter(({ facts }) => 'waitMs' in facts).map(({ facts }) => facts.attempt)).toEqual([1, 1, 1]);
  });

  test('restarts a server that hangs, and ignores the request while it is down', async () => {
    const { server, starts, stopped } = await superviseScript([]);
    await server.restart();
    await until(() => starts.length === 2 && server.state === 'ready', SOON);
    expect(stopped).toEqual([1]);
    const down = await superviseScript(['it died'], { firstMs: 60_000, maxMs: 60_000, steadyMs: 60_000 });
    await until(() => down.server.state === 'backoff', SOON);
    await down.server.restart();
    expect([down.starts.length, down.stopped]).toEqual([1, []]);
  });

  test('does not restart a server that is being closed, and closes once however often it is called', async () => {
    const { server, starts, stopped, lines } = await superviseScript([]);
    await Promise.all([server.close(), server.close()]);
    await delay(2 * BACKOFF.firstMs);
    expect(server.state).toBe('stopped');
    expect({ starts, stopped, lines }).toEqual({ starts: ['stays'], stopped: [1], lines: [] });
  });

  test('stops waiting when it is closed between two attempts', async () => {
    const { server, starts } = await superviseScript(['it died'], { firstMs: 60_000, maxMs: 60_000, steadyMs: 60_000 });
    await until(() => server.state === 'backoff', SOON);
    await server.close();
    expect(starts).toHaveLength(1);
  });

  test('passes on the error of the first start', async () => {
    await expect(superviseScript(['does not start'])).rejects.toThrow('address not available');
  });
});
