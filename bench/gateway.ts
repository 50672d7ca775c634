import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '../prisma/migrate.js';
import { AnsweredError } from '../src/cli/gateway-client.js';
import { abortable, Closers, delay } from '../src/domain/async.js';
import { createLog } from '../src/observability/log.js';
import { startChroma } from '../src/runtime/embedded/chroma.js';
import { startPostgres } from '../src/runtime/embedded/postgres.js';
import { Client, type IndexProgress, PROGRESS, unindexed } from './client.js';
import type { GatewayNews } from './gateway.child.js';
import type { Run } from './run.js';

/** A gateway in its own process, with its own servers, which end with it. */
export interface BenchGateway {
  /** Its GraphQL address. */
  readonly url: string;
  /** URL of its Chroma. */
  readonly chromaUrl: string;
  readonly pid: number;
  /** Without a credential. */
  readonly client: Client;
  /** As that of the client. */
  ask<T>(query: string, variables: object): Promise<T>;
  close(): Promise<void>;
}

/**
 * Starts a gateway like a developer, but without the sample notebook. Its data is in `keptDir`, which is kept for the
 * next run, or in a temporary directory; `others` are further settings. Node's own options (`--cpu-prof`) are passed to
 * it.
 */
export async function startBenchGateway(
  run: Run,
  keptDir: string | null = null,
  others: Readonly<Record<string, string>> = {},
): Promise<BenchGateway> {
  const closers = new Closers();
  run.closers.add('gateway and its servers', closers.close);
  const dataDir = keptDir ?? (await temporaryFolder(closers));
  const log = createLog('error');
  const chroma = await startChroma({ dataDir: join(dataDir, 'own-chroma'), log, signal: run.signal });
  closers.add('Chroma', () => chroma.close());
  const settings = { DATA_DIR: dataDir, CHROMA_URL: chroma.url(), SEED_SAMPLE: 'false', ...others };
  const child = forkGateway(closers, settings);
  const url = await abortable(listening(child), run.signal);
  const client = new Client(url, '', run.signal);
  return {
    url,
    chromaUrl: chroma.url(),
    pid: child.pid ?? 0,
    close: closers.close,
    client,
    ask: (query, variables) => client.ask(query, variables),
  };
}

/** A folder that the closers remove. */
export async function temporaryFolder(closers: Closers): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'errata-bench-'));
  closers.add('data', () => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a gateway with these settings on a free port; the closers end it. Its log goes to `stderr`. */
export function forkGateway(
  closers: Closers,
  settings: Readonly<Record<string, string>>,
  stderr: 'inherit' | 'pipe' = 'inherit',
): ChildProcess {
  const program = fileURLToPath(new URL('gateway.child.js', import.meta.url));
  const stdio = ['ignore', 'inherit', stderr, 'ipc'] as const;
  const child = fork(program, [JSON.stringify({ PORT: '0', ...settings })], { stdio: [...stdio] });
  closers.add('gateway', () => ended(child));
  return child;
}

/** The address of a forked gateway, once it listens. */
export async function listening(child: ChildProcess): Promise<string> {
  const exited = once(child, 'exit').then(() => {
    throw new Error('the gateway did not come to listen');
  });
  const [news] = (await Promise.race([once(child, 'message'), exited])) as [GatewayNews];
  exited.catch(() => undefined);
  return news.url;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}

const CREATE = 'mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }';

/**
 * Stores cards through the API, eight at a time, waits until all are indexed and prints how long that took. Existing
 * ids are kept; a gateway with as many cards is assumed to have them all. Also waits for an index that is being built
 * beside the live one, as for data of an earlier version, because searches are slower meanwhile.
 */
export async function loadCards(run: Run, gateway: Pick<BenchGateway, 'ask'>, cards: readonly object[]): Promise<void> {
  const status = async (): Promise<IndexProgress> =>
    (await gateway.ask<{ indexStatus: IndexProgress }>(PROGRESS, {})).indexStatus;
  const started = performance.now();
  const missing = (await status()).cards === cards.length ? [] : cards;
  await run.together('storing', 'cards', missing, 8, (input) =>
    gateway.ask(CREATE, { input }).catch((error: unknown) => {
      if (!(error instanceof AnsweredError && error.code === 'CONFLICT')) throw error;
    }),
  );
  const storedMs = performance.now() - started;
  await indexedAll(run, async () => unindexed(await status()));
  const seconds = (ms: number): string => (ms / 1000).toFixed(1);
  console.log(
    `${cards.length} cards stored in ${seconds(storedMs)} s, indexed ${seconds(performance.now() - started)} s after the first`,
  );
}

/** Waits until every card is indexed. */
export async function indexedAll(run: Run, pending: () => Promise<number>): Promise<void> {
  let left = await pending();
  const total = left;
  const indexing = run.step('indexing', 'cards', total);
  try {
    while (left > 0) {
      await delay(200, run.signal);
      run.signal.throwIfAborted();
      left = await pending();
      indexing.tell(Math.max(0, total - left));
    }
  } finally {
    indexing.end();
  }
}

/** Starts a PostgreSQL with its data in `folder`, and migrates it; the closers end it. Its URL. */
export async function startDatabase(
  { closers, signal }: Pick<Run, 'closers' | 'signal'>,
  folder: string,
): Promise<string> {
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), log: createLog('warn'), signal });
  closers.add('PostgreSQL', () => postgres.close());
  await migrate(postgres.url, signal);
  return postgres.url;
}
