import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../src/config/package-root.js';
import { asError } from '../../src/domain/errors.js';
import { readIdentity } from '../../src/runtime/embedded/process.js';
import { endsWithThisProcess } from './children.js';
import { gatewayDatabase, type TestDatabase, testChroma } from './gateway-database.js';
import { tokenOf } from './tokens.js';
import { until } from './until.js';

/**
 * A first start makes a database, and loads and indexes the sample. More than 150 s passed where forty processes
 * wanted the two cores. A gateway that ends is not waited for.
 */
const LISTEN_DEADLINE_MS = 240_000;
const READY_DEADLINE_MS = 120_000;
/** The gateway's own limit for an orderly end, and a little more. */
const CLOSE_DEADLINE_MS = 22_000;
const LEFTOVER_DEADLINE_MS = 30_000;
/** How a gateway exits whose data directory another one uses. */
const REFUSED_DIRECTORY = 75;

/** What a gateway under test inherits of this process's environment: no setting but where the binding is cached. */
const INHERITED = ['PATH', 'HOME', 'SystemRoot', 'TMPDIR', 'TEMP', 'XDG_CACHE_HOME', 'ERRATA_CACHE_DIR'];

const LISTENING = /listening on (http:\/\/\S+\/graphql)/;

export interface GatewayOptions {
  /** Settings beside those that the harness makes; they win. */
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments of the program. */
  readonly args?: readonly string[];
  /** True: neither DATABASE_URL nor CHROMA_URL is given, so the gateway starts its own servers. */
  readonly embedded?: boolean;
  /** A data directory that the test keeps; without it, one that goes with the gateway. */
  readonly dataDir?: string;
  /** A database that the test keeps, for a gateway that is started again on it. */
  readonly database?: TestDatabase;
}

/** What GraphQL answered, and the HTTP status. */
export interface Answer<T> {
  readonly data: T | null;
  readonly errors: readonly GraphQLProblem[] | undefined;
  readonly status: number;
}

export interface GraphQLProblem {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: Readonly<Record<string, unknown>> & { readonly code: string };
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The API of a running gateway. */
export interface Api {
  /** `http://127.0.0.1:PORT/graphql` */
  readonly url: string;
  gql<T = Record<string, unknown>>(query: string, variables?: Readonly<Record<string, unknown>>): Promise<Answer<T>>;
  /** The data of an answer without errors; throws the errors of any other one. */
  must<T = Record<string, unknown>>(query: string, variables?: object): Promise<T>;
  /** The same gateway, asked with a credential. */
  as(bearer: string): Api;
}

export interface Gateway extends Api {
  readonly pid: number;
  readonly dataDir: string;
  as(bearer: string): Gateway;
  /** Resolves when /readyz answers 200. */
  ready(): Promise<void>;
  /** All that it printed, on stdout and stderr. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<Exit>;
  /** Ends it by SIGTERM where it still runs, and removes what the harness made for it. */
  close(): Promise<void>;
}

/**
 * The gateway that test files share, each in schools of its own: one start less for each. It reads tokens
 * ({@link TOKEN_SETTINGS}); what a test measures of the whole gateway, or sets, asks for a gateway of its own.
 */
export async function sharedGateway(): Promise<{ readonly gateway: Api; readonly tokenOf: typeof tokenOf }> {
  const started = await fetch(String(process.env.TEST_SHARED_GATEWAY));
  const text = await started.text();
  if (!started.ok) throw new Error(text);
  const school = randomBytes(4).toString('hex');
  return {
    gateway: apiAt(text),
    tokenOf: ({ tenant = 'north', ...given }) => tokenOf({ ...given, tenant: `${tenant}-${school}` }),
  };
}

function apiAt(url: string, bearer?: string): Api {
  return {
    url,
    gql: (query, variables) => askPatiently(url, query, variables, bearer),
    async must<T>(query: string, variables: object = {}) {
      const { data, errors } = await askPatiently<T>(url, query, { ...variables }, bearer);
      if (data === null || errors !== undefined) throw new Error(`${query} answered ${JSON.stringify(errors)}`);
      return data;
    },
    as: (other) => apiAt(url, other),
  };
}

/** A gateway process, which need not come to listen: for tests of how a start fails. */
export interface GatewayProcess {
  readonly child: ChildProcess;
  readonly dataDir: string;
  readonly exited: Promise<Exit>;
  output(): string;
  close(): Promise<void>;
}

/** Runs the compiled gateway as a process of its own, and resolves when it listens. */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const gateway = await spawnGateway(options);
  const { child, dataDir, exited, output } = gateway;
  const address = (): string | undefined => LISTENING.exec(output())?.[1];
  const ended = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const { pid } = child;
  const what = 'the gateway to listen';
  const late = await until(() => ended() || address() !== undefined, { deadlineMs: LISTEN_DEADLINE_MS, what }).then(
    () => '',
    (thrown: Error) => thrown.message,
  );
  const url = address();
  if (url === undefined || pid === undefined) {
    await gateway.close();
    throw new Error(`the gateway did not come to listen ${late}\n${output()}`);
  }
  const asked: Gateway = {
    ...apiAt(url),
    pid,
    dataDir,
    exited,
    output,
    as: (bearer) => ({ ...asked, ...apiAt(url, bearer), as: asked.as }),
    ready: async () => {
      const probe = async (): Promise<boolean> => (await fetch(new URL('/readyz', url))).status === 200;
      await until(probe, { deadlineMs: READY_DEADLINE_MS, what: 'the gateway to be ready' });
    },
    kill: (signal) => void child.kill(signal),
    close: gateway.close,
  };
  return asked;
}

/** Runs the compiled gateway as a process of its own, whatever becomes of it. */
export async function spawnGateway(options: GatewayOptions = {}): Promise<GatewayProcess> {
  const undos: (() => Promise<unknown>)[] = [];
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'errata-gateway-')));
  if (options.dataDir === undefined) undos.push(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  // Learned weights would change the scores of a gateway that has run for two minutes.
  const fixed = { SEED_SAMPLE: 'false', LEARN_WEIGHTS: 'false' };
  const env: Record<string, string> = { PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'info', ...fixed };
  for (const name of INHERITED) if (process.env[name] !== undefined) env[name] = String(process.env[name]);
  if (!options.embedded) {
    const database = options.database ?? (await gatewayDatabase());
    if (options.database === undefined) undos.push(() => database.drop());
    Object.assign(env, { DATABASE_URL: database.url, CHROMA_URL: testChroma() });
  }
  const child = spawn(process.execPath, [join(packageRoot(), 'dist', 'src', 'main.js'), ...(options.args ?? [])], {
    cwd: dataDir,
    env: { ...env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endsWithThisProcess(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const exited = once(child, 'exit').then(([code, signal]): Exit => ({ code, signal }));
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_DEADLINE_MS);
    await exited;
    clearTimeout(timer);
    // A gateway that was refused the directory started nothing in it: what runs there is another's.
    if (child.exitCode !== REFUSED_DIRECTORY) await leftoversGone(dataDir);
    for (const undo of undos.reverse()) await undo();
  };
  return {
    child,
    dataDir,
    exited,
    output: () => printed,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Whatever way a gateway ended, the servers that it started itself are gone soon after. */
async function leftoversGone(dataDir: string): Promise<void> {
  for (const server of ['postgres', 'chroma']) {
    const gone = async (): Promise<boolean> => (await readIdentity(join(dataDir, server, 'running.json'))) === null;
    await until(gone, { deadlineMs: LEFTOVER_DEADLINE_MS, what: `the gateway's ${server} to be gone` });
  }
}

/** As {@link ask}, sent again while the gateway is too busy: tests run beside others, on machines of any speed. */
async function askPatiently<T>(...asked: Parameters<typeof ask>): Promise<Answer<T>> {
  const isQuery = !asked[1].trimStart().startsWith('mutation');
  const answered = async (): Promise<Answer<T> | Error | null> => {
    const answer = await ask<T>(...asked).catch(asError);
    // A gateway that is gone has no capacity to wait for.
    if (answer instanceof Error) return answer;
    const refused = (code: string): boolean =>
      answer.errors?.some(({ extensions }) => extensions.code === code) ?? false;
    // A change whose deadline passed may have been made: only a query can be sent again.
    return refused('RATE_LIMITED') || (isQuery && refused('DEADLINE_EXCEEDED')) ? null : answer;
  };
  const answer = await until(answered, { deadlineMs: 60_000, what: 'the gateway to have capacity' });
  if (answer instanceof Error) throw answer;
  return answer;
}

/** Posts one operation to a gateway, with a credential where one is given. */
export async function ask<T>(
  url: string,
  query: string,
  variables?: Readonly<Record<string, unknown>>,
  bearer?: string,
): Promise<Answer<T>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data?: T | null; errors?: readonly GraphQLProblem[] };
  return { data: data ?? null, errors, status: response.status };
}

/** What a figure of `/metrics` without labels says; NaN if there is none of this name. */
export async function metricOf({ url }: Pick<Gateway, 'url'>, name: string): Promise<number> {
  const page = await (await fetch(new URL('/metrics', url))).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1]);
}
