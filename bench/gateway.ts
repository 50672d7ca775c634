import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startApp } from '../src/app.js';
import { parseConfig } from '../src/config.js';
import { startChroma } from '../src/embedded/chroma.js';
import { Closers, delay } from '../src/lifecycle.js';

/** What an operation answered was an error; `code` is its first one's. */
export class AnsweredError extends Error {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

/** A gateway on servers and data of its own, which go with it. */
export interface BenchGateway {
  /** Where its Chroma listens. */
  readonly chromaUrl: string;
  /** Sends one operation; AnsweredError where it answers errors. */
  ask<T>(query: string, variables: object): Promise<T>;
  close(): Promise<void>;
}

/** Starts an empty gateway in a temporary directory, as a developer would, but for the sample notebook. */
export async function startBenchGateway(): Promise<BenchGateway> {
  const closers = new Closers();
  const dataDir = await mkdtemp(join(tmpdir(), 'errata-bench-'));
  closers.add('data', () => rm(dataDir, { recursive: true, force: true }));
  const log = pino({ level: 'error' }, pino.destination(2));
  const { signal } = new AbortController();
  const chroma = await startChroma({ dataDir: join(dataDir, 'own-chroma'), log, signal });
  closers.add('Chroma', () => chroma.close());
  const config = parseConfig({ DATA_DIR: dataDir, PORT: '0', CHROMA_URL: chroma.url(), SEED_SAMPLE: 'false' });
  const app = await startApp({ config, log, announce: () => undefined, signal });
  closers.add('gateway', () => app.close());
  return {
    chromaUrl: chroma.url(),
    close: closers.close,
    async ask<T>(query: string, variables: object): Promise<T> {
      const body = JSON.stringify({ query, variables });
      const response = await fetch(app.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const answer = (await response.json()) as {
        data: T;
        errors?: readonly [{ message: string; extensions: { code: string } }];
      };
      if (answer.errors) throw new AnsweredError(answer.errors[0].message, answer.errors[0].extensions.code);
      return answer.data;
    },
  };
}

const CREATE = 'mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }';

/** Stores cards through the API, eight at a time, waits until all are indexed and says how long that took; an id that is there already stays. */
export async function load({ ask }: BenchGateway, cards: readonly object[]): Promise<void> {
  const started = performance.now();
  const queue = [...cards];
  const worker = async (): Promise<void> => {
    for (let input = queue.shift(); input !== undefined; input = queue.shift()) {
      await ask(CREATE, { input }).catch((error: unknown) => {
        if (!(error instanceof AnsweredError && error.code === 'CONFLICT')) throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  const stored = performance.now();
  for (let pending = 1; pending > 0; ) {
    pending = (await ask<{ indexStatus: { pending: number } }>('{ indexStatus { pending } }', {})).indexStatus.pending;
    if (pending > 0) await delay(200);
  }
  const seconds = (ms: number): string => (ms / 1000).toFixed(1);
  console.log(
    `${cards.length} cards stored in ${seconds(stored - started)} s, indexed ${seconds(performance.now() - started)} s after the first`,
  );
}
