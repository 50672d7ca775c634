import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { BadInputError } from '../../../src/domain/errors.js';
import type { WorkerProgram } from '../../../src/runtime/workers/protocol.js';
import { type WorkerProcess, WorkerSpentError } from '../../../src/runtime/workers/worker-process.js';
import { Workers } from '../../../src/runtime/workers/workers.js';
import { folderOfFile } from '../../support/folder.js';
import { until } from '../../support/until.js';

const signal = new AbortController().signal;
/** Whether the kernel schedules sessions as groups: sched(7), autogroup. */
const SESSION_GROUPS =
  existsSync('/proc/self/autogroup') && readFileSync('/proc/self/autogroup', 'utf8').includes('nice');
/** What the program below answers. */
interface TestCalls {
  readonly [name: string]: (given: never) => unknown;
  readonly double: (given: number) => number;
  readonly refuse: (given: string) => void;
  readonly fail: (given: string) => void;
  readonly open: (given: string) => Buffer;
  readonly spin: (given: null) => void;
  readonly fill: (given: null) => void;
  readonly hang: (given: null) => void;
  readonly count: (given: null) => number;
  readonly compute: (given: number) => void;
  readonly keep: (given: number) => void;
  readonly pid: (given: null) => number;
  readonly priorities: (given: null) => readonly number[];
  readonly session: (given: null) => string;
}

const { path: folder } = await folderOfFile('workers');
let program: WorkerProgram;
beforeAll(async () => {
  const dist = join(packageRoot(), 'dist');
  const url = (path: string): string => JSON.stringify(join(dist, 'src', path));
  const file = join(folder, 'program.mjs');
  await writeFile(
    file,
    `import { readdirSync, readFileSync } from 'node:fs';
     import { getPriority } from 'node:os';
     import { BadInputError } from ${url('domain/errors.js')};
     import { serve } from ${url('runtime/workers/serve.js')};
     const kept = [];
     const spent = () => { const { user, system } = process.cpuUsage(); return user + system; };
     serve(() => { let calls = 0; return {
       double: (given) => 2 * given,
       refuse: (given) => { throw new BadInputError('file', given); },
       fail: (given) => { throw new Error(given); },
       open: (given) => readFileSync(given),
       spin: () => { for (;;); },
       fill: () => { for (;;) kept.push(Buffer.alloc(2 ** 20, kept.length)); },
       hang: () => new Promise(() => undefined),
       count: () => (calls += 1),
       // The limit counts both: each look takes system time.
       compute: (ms) => { for (const end = spent() + 1000 * ms; spent() < end; ); },
       keep: (mb) => { for (let at = 0; at < mb; at += 1) kept.push(Buffer.alloc(2 ** 20, 1)); },
       pid: () => process.pid,
       priorities: () => readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread))),
       session: () => readFileSync('/proc/self/autogroup', 'utf8'),
     }; });`,
  );
  program = { module: relative(dist, file), limits: { cpuMs: 500, memoryMb: 256 } };
});

const shared = new Workers();
afterEach(() => shared.close());

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

function work<T>(
  run: (worker: WorkerProcess<TestCalls>) => Promise<T>,
  over: { tenantId?: string; workers?: Workers; signal?: AbortSignal } = {},
): Promise<T> {
  const { tenantId = 'school', workers = shared } = over;
  return workers.run<TestCalls, T>({ tenantId, name: 'the work', program, run }, over.signal ?? signal);
}

describe('a worker', () => {
  test('answers calls, and rejects invalid input like the gateway', async () => {
    await work(async (worker) => {
      expect(await worker.call('double', 21)).toBe(42);
      const refused = await worker.call('refuse', 'is no table').catch((thrown: unknown) => thrown);
      expect(refused).toBeInstanceOf(BadInputError);
      expect(refused).toMatchObject({ field: 'file', problem: 'is no table' });
      await expect(worker.call('fail', 'something of ours')).rejects.toThrow('something of ours');
      await expect(worker.call('open', '/not/there')).rejects.toMatchObject({ code: 'ENOENT' });
    });
  });

  test('is kept for the next work of its tenant, which it begins anew, until it is closed', async () => {
    const counted = async (worker: WorkerProcess<TestCalls>) => {
      expect(await worker.call('count', null)).toBe(1);
      expect(await worker.call('count', null)).toBe(2);
      return worker.call('pid', null);
    };
    const gone = new AbortController();
    const pid = await work(counted, { signal: gone.signal });
    gone.abort(new Error('the client has gone'));
    expect(await work(counted)).toBe(pid);
    const other = await work(counted, { tenantId: 'another' });
    expect(other).not.toBe(pid);
    expect(isRunning(pid)).toBe(false);
    await shared.close();
    expect(isRunning(other)).toBe(false);
  });

  test('is killed with its next work too, and then replaced', async () => {
    const pid = await work((worker) => worker.call('pid', null));
    const gone = new AbortController();
    const spinning = work(
      (worker) => {
        setImmediate(() => gone.abort(new Error('the client has gone')));
        return worker.call('spin', null);
      },
      { signal: gone.signal },
    );
    await expect(spinning).rejects.toThrow('the client has gone');
    expect(isRunning(pid)).toBe(false);
    expect(await work((worker) => worker.call('double', 2))).toBe(4);
  });

  test('has all of its processor time for each work', async () => {
    const pids = new Set<number>();
    // A start takes some of it too.
    const longer = { ...program, limits: { ...program.limits, cpuMs: 1_500 } };
    const run = async (worker: WorkerProcess<TestCalls>) => {
      pids.add(await worker.call('pid', null));
      await worker.call('compute', 510);
    };
    for (let round = 0; round < 3; round += 1) {
      await shared.run<TestCalls, void>({ tenantId: 'school', name: 'the work', program: longer, run }, signal);
    }
    expect(pids.size).toBe(1);
  });

  test.each([
    ['failed', (worker: WorkerProcess<TestCalls>) => worker.call('fail', 'something of ours')],
    ['left much memory', (worker: WorkerProcess<TestCalls>) => worker.call('keep', 150)],
  ])('is not kept after work that %s', async (_what, run) => {
    let pid = 0;
    const done = work(async (worker) => {
      pid = await worker.call('pid', null);
      await run(worker);
    });
    await done.catch(() => undefined);
    expect(isRunning(pid)).toBe(false);
  });

  test.runIf(process.platform === 'linux')('has a lower priority than the gateway in all threads', async () => {
    const priorities = await work((worker) => worker.call('priorities', null));
    expect(Math.min(...priorities)).toBeGreaterThan(getPriority());
  });

  test.runIf(SESSION_GROUPS)(
    'has a lower priority than the gateway where the kernel schedules sessions as groups',
    async () => {
      const isLower = async (worker: WorkerProcess<TestCalls>): Promise<boolean> => {
        const niceness = /nice (-?\d+)$/m.exec(await worker.call('session', null))?.[1];
        return Number(niceness) > getPriority();
      };
      const what = 'the lower priority of its session';
      await work((worker) => until(() => isLower(worker), { deadlineMs: 30_000, what }));
    },
  );

  test.each(['spin', 'fill'] as const)('that exceeds its limits is killed: %s', async (name) => {
    await expect(work((worker) => worker.call(name, null))).rejects.toThrow(WorkerSpentError);
  });

  test('that does not answer is killed at its deadline, and this is said', async () => {
    const hung = work(async (worker) => {
      await worker.call('pid', null);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const answer = worker.call('hang', null);
      vi.advanceTimersByTime(900_000);
      vi.useRealTimers();
      await answer;
    }).catch((thrown: unknown) => thrown);
    expect(await hung).toBeInstanceOf(WorkerSpentError);
    expect(await hung).toMatchObject({ message: 'it takes more than 15 minutes' });
  });

  test('is killed when its signal aborts', async () => {
    const gone = new AbortController();
    let pid = 0;
    const spinning = work(
      async (worker) => {
        pid = await worker.call('pid', null);
        const spun = worker.call('spin', null);
        gone.abort(new Error('the client has gone'));
        await spun;
      },
      { signal: gone.signal },
    );
    await expect(spinning).rejects.toThrow('the client has gone');
    expect(isRunning(pid)).toBe(false);
  });
});

describe('workers', () => {
  test('run one job of a tenant at a time, so that another tenant waits for at most one of its jobs', async () => {
    const workers = new Workers();
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const piece = (tenantId: string): Promise<void> =>
      work(
        () => {
          begun.push(tenantId);
          return new Promise((resolve) => ends.push(resolve));
        },
        { tenantId, workers },
      );
    const all = [piece('a'), piece('a'), piece('a'), piece('b'), piece('c')];
    await until(() => begun.length === 2, { deadlineMs: 30_000, what: 'two workers' });
    expect(begun).toEqual(['a', 'b']);
    ends.shift()?.();
    await until(() => begun.length === 3, { deadlineMs: 30_000, what: 'the next worker' });
    expect(begun).toEqual(['a', 'b', 'c']);
    for (let ended = 1; ended < all.length; ended += 1) {
      await until(() => ends.length > 0, { deadlineMs: 30_000, what: 'another worker' });
      ends.shift()?.();
    }
    await Promise.all(all);
    expect(begun.sort()).toEqual(['a', 'a', 'a', 'b', 'c']);
  });

  test('refuse a tenant with too many waiting jobs', async () => {
    const workers = new Workers();
    const over = new AbortController();
    const waiting = Array.from({ length: 9 }, () =>
      work(() => new Promise(() => undefined), { workers, signal: over.signal }).catch(
        (thrown: Error) => thrown.message,
      ),
    );
    await expect(work(async () => undefined, { workers })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await expect(work(async () => 'done', { workers, tenantId: 'another' })).resolves.toBe('done');
    over.abort(new Error('it is over'));
    expect(new Set(await Promise.all(waiting.slice(1)))).toEqual(new Set(['it is over']));
  });
});
