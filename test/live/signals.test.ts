import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/config/package-root.js';
import { onPort } from '../../src/runtime/embedded/port.js';
import {
  identify,
  isAlive,
  type ProcessIdentity,
  readIdentity,
  signal as sendSignal,
} from '../../src/runtime/embedded/process.js';
import { endsWithThisProcess } from '../support/children.js';
import { describeOwnChroma, removeFolder, temporaryFolder } from '../support/embedded.js';
import type { Exit } from '../support/gateway.js';
import { type TestDatabase, unmadeDatabase } from '../support/gateway-database.js';
import { type HttpServer, startHttpServer } from '../support/http-server.js';
import { until } from '../support/until.js';

/** Within this, everything is gone. */
const GONE_MS = 15_000;
const START_MS = 90_000;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Processes are found by Linux's /proc, and a terminal is made by util-linux. */
const describeOnLinux = process.platform === 'linux' ? describe : describe.skip;

/** What a program under test inherits of this process's environment: no setting but where the binding is cached. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'XDG_CACHE_HOME', 'ERRATA_CACHE_DIR'];

interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly exited: Promise<Exit>;
}

const running: Running[] = [];
afterEach(async () => {
  for (const { pid, exited } of running.splice(0)) {
    sendSignal(-pid, 'SIGKILL');
    await exited;
  }
});

/** Starts a program in a process group of its own. */
function run(
  command: string,
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly output?: 'pipe' | number } = {},
): Running {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const { env = {}, output = 'pipe' } = options;
  const child = spawn(command, args, {
    cwd: packageRoot(),
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', output, output],
    detached: true,
  });
  // What npm has started ends with it.
  endsWithThisProcess(child);
  child.stdout?.resume();
  child.stderr?.resume();
  const exited = once(child, 'exit').then(([code, signal]): Exit => ({ code, signal }));
  if (child.pid === undefined) throw new Error(`${command} did not start`);
  const one = { child, pid: child.pid, exited };
  running.push(one);
  return one;
}

/** Starts a gateway on a free port, on another one if it ends before it is ready: a program may have taken the port. */
function runReady(start: (port: number) => Running): Promise<Running> {
  return onPort(null, async (port) => {
    const gateway = start(port);
    const isReady = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
    const ended = gateway.exited.then(({ code }) => Promise.reject(new Error(`exit ${code}: is its address in use?`)));
    await Promise.race([ended, until(isReady, { deadlineMs: START_MS, what: 'the gateway to be ready' })]);
    return gateway;
  });
}

async function gone(what: string, identity: ProcessIdentity): Promise<void> {
  await until(async () => !(await isAlive(identity)), { deadlineMs: GONE_MS, what: `${what} to be gone` });
}

async function identified(pid: number): Promise<ProcessIdentity> {
  const identity = await identify(pid);
  if (identity === null) throw new Error(`${pid} does not run`);
  return identity;
}

describeOnLinux('a command that npm runs', () => {
  /** A gateway that never answers, and what it was asked. */
  let server: HttpServer;
  const asked = new Set<string>();
  beforeAll(async () => {
    server = await startHttpServer((request) => asked.add(`${request.url}`));
  });
  afterAll(() => server.close());

  async function endedBy(signal: NodeJS.Signals, to: 'npm' | 'command' | 'group'): Promise<Exit> {
    const path = `/${signal}-${to}/`;
    const npm = run('npm', ['run', 'errata', '--', 'export', 'cards.csv', '--url', `${server.url}${path}`]);
    await until(() => asked.has(`${path}export`), { deadlineMs: START_MS, what: 'the command to be at work' });
    // npm's only child: its shell has become the command.
    const [child] = (await readFile(`/proc/${npm.pid}/task/${npm.pid}/children`, 'utf8')).split(' ').map(Number);
    const command = await identified(child ?? 0);
    process.kill({ npm: npm.pid, command: command.pid, group: -npm.pid }[to], signal);
    const exit = await npm.exited;
    await gone('the command', command);
    return exit;
  }

  test.each(SIGNALS)('ends by %s to npm, to the command or to both, together with npm', async (signal) => {
    const exits = await Promise.all((['npm', 'command', 'group'] as const).map((to) => endedBy(signal, to)));
    expect(exits).toEqual(Array.from({ length: 3 }, () => ({ code: null, signal })));
  });
});

describeOwnChroma('npm start', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await temporaryFolder();
  });
  afterAll(() => removeFolder(dataDir));

  /** The running gateway, PostgreSQL and Chroma. */
  async function processes(): Promise<readonly ProcessIdentity[]> {
    const [claim = ''] = await readdir(join(dataDir, 'gateway.lock'));
    const files = [join('gateway.lock', claim), join('postgres', 'running.json'), join('chroma', 'running.json')];
    return Promise.all(
      files.map(async (file) => {
        const identity = await readIdentity(join(dataDir, file));
        if (identity === null) throw new Error(`${file} names nobody who runs`);
        return identity;
      }),
    );
  }

  const settings = (port: number) => ({ DATA_DIR: dataDir, PORT: `${port}`, SEED_SAMPLE: 'false' });

  async function allGone(started: readonly ProcessIdentity[]): Promise<void> {
    const names = ['the gateway', 'PostgreSQL', 'Chroma'];
    await Promise.all(started.map((one, place) => gone(names[place] ?? '', one)));
  }

  test('starts with its output closed, and SIGTERM to npm alone ends everything', async () => {
    const npm = await runReady((port) => {
      const one = run('npm', ['start'], { env: settings(port) });
      one.child.stdout?.once('data', () => one.child.stdout?.destroy());
      return one;
    });
    const started = await processes();
    npm.child.kill('SIGTERM');
    expect(await npm.exited).toEqual({ code: null, signal: 'SIGTERM' });
    await allGone(started);
  });

  test('ends everything when npm alone is killed', async () => {
    const npm = await runReady((port) => run('npm', ['start'], { env: settings(port) }));
    const started = await processes();
    npm.child.kill('SIGKILL');
    await npm.exited;
    await allGone(started);
  });

  test('ends everything when its terminal is closed', async () => {
    const args = ['--quiet', '--flush', '--command', 'npm start', '/dev/null'];
    const terminal = await runReady((port) => run('script', args, { env: settings(port) }));
    const started = await processes();
    terminal.child.kill('SIGKILL');
    await terminal.exited;
    await allGone(started);
  });
});

describeOnLinux('the gateway', () => {
  let database: TestDatabase | undefined;
  afterEach(async () => {
    await database?.drop();
  });

  test('starts if output and log cannot be written, and ends by the signal', async () => {
    database = unmadeDatabase();
    const dataDir = await temporaryFolder();
    const env = { DATABASE_URL: database.url, CHROMA_URL: `${process.env.TEST_CHROMA_URL}`, DATA_DIR: dataDir };
    const output = openSync('/dev/full', 'w');
    const gateway = await runReady((port) =>
      run(process.execPath, ['dist/src/main.js'], { env: { ...env, PORT: `${port}` }, output }),
    );
    gateway.child.kill('SIGQUIT');
    expect(await gateway.exited).toEqual({ code: null, signal: 'SIGQUIT' });
    await removeFolder(dataDir);
  });
});
