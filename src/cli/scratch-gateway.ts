import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../config/settings.js';
import { Closers, delay, eachOf } from '../domain/async.js';
import { StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import { withoutUndefined } from '../domain/parse/parse.js';
import type { IndexCounts } from '../domain/ports/ledger.js';
import { isAbandoned } from '../runtime/embedded/data-lock.js';
import { AnsweredError, type GatewayClient } from './gateway-client.js';
import { type OpenGateway, startGateway } from './with-gateway.js';

/** Concurrent card creations: more would only wait for each other. */
const AT_A_TIME = 8;

const POLL_MS = 200;

const PREFIX = 'errata-scratch-';

/** The servers of a killed command end within two seconds, and may still create files meanwhile. */
const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });

/** Removes what killed commands have left. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name);
    if (name.startsWith(PREFIX) && (await isAbandoned(folder))) await remove(folder);
  }
}

/** A temporary gateway in this process, empty or with the sample notebook; its servers and data are removed with it. */
export async function scratchGateway(sample: boolean, signal: AbortSignal): Promise<OpenGateway> {
  const closers = new Closers();
  try {
    await removeAbandoned();
    const dataDir = await mkdtemp(join(tmpdir(), PREFIX));
    closers.add('data', () => remove(dataDir));
    const config = parseConfig({ DATA_DIR: dataDir, PORT: '0', SEED_SAMPLE: String(sample) });
    const gateway = await startGateway(config, signal);
    closers.add('gateway', gateway.close);
    return { client: gateway.client, close: closers.close };
  } catch (thrown) {
    await closers.close();
    throw thrown;
  }
}

type IndexStatus = Pick<IndexCounts, 'pending' | 'failed'>;

/**
 * Creates cards, as `errata export` writes them, and waits until all are indexed; returns how many existed. `tell` is
 * called with the number of stored cards. StartupError (1) if one of them cannot be indexed.
 */
export async function loadCards(
  client: GatewayClient,
  cards: readonly object[],
  tell: (done: number) => void,
  signal: AbortSignal,
): Promise<number> {
  const status = async (): Promise<IndexStatus> =>
    (await client.ask<{ indexStatus: IndexStatus }>('indexStatus')).indexStatus;
  // Cards that the notebook had before.
  const { failed: failedBefore } = await status();
  let done = 0;
  let known = 0;
  await eachOf(cards, AT_A_TIME, async (card) => {
    signal.throwIfAborted();
    // They are not searched; the API takes no occurrences, and no content of a file.
    const input = withoutUndefined({ ...card, occurrences: undefined, attachments: undefined });
    try {
      await client.ask('createCard', { input });
    } catch (thrown) {
      if (!(thrown instanceof AnsweredError && thrown.code === 'CONFLICT')) throw thrown;
      known += 1;
    }
    done += 1;
    tell(done);
  });
  for (;;) {
    const { pending, failed } = await status();
    if (failed > failedBefore) {
      const problem = `${failed - failedBefore} cards could not be indexed: the log of the gateway says why`;
      throw new StartupError(problem, EXIT.failed);
    }
    if (pending === 0) return known;
    await delay(POLL_MS, signal);
    signal.throwIfAborted();
  }
}
