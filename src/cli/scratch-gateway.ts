import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../config/settings.js';
import { Closers, delay, eachOf } from '../domain/async.js';
import { AnsweredError, GatewayClient } from './gateway-client.js';
import type { OpenGateway } from './with-gateway.js';

/** Concurrent card creations: more would only wait for each other. */
const AT_A_TIME = 8;

/** Poll interval of the index, in ms. */
const POLL_MS = 200;

/** A temporary gateway in this process, empty or with the sample notebook; its servers and data are removed with it. */
export async function scratchGateway(sample: boolean, signal: AbortSignal): Promise<OpenGateway> {
  const closers = new Closers();
  try {
    const dataDir = await mkdtemp(join(tmpdir(), 'errata-scratch-'));
    closers.add('data', () => rm(dataDir, { recursive: true, force: true }));
    const config = parseConfig({ DATA_DIR: dataDir, PORT: '0', SEED_SAMPLE: String(sample) });
    const [{ startApp }, { createLog }] = await Promise.all([import('../app.js'), import('../observability/log.js')]);
    const log = createLog('warn');
    const app = await startApp({ config, operations: null, log, announce: () => undefined, signal });
    closers.add('gateway', app.close);
    return { client: new GatewayClient(app.url), close: closers.close };
  } catch (thrown) {
    await closers.close();
    throw thrown;
  }
}

const CREATE = 'mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }';

/**
 * Creates cards (the fields of CreateCardInput) and waits until all are indexed; returns how many existed. `tell` is
 * called with the number of stored cards.
 */
export async function loadCards(
  client: GatewayClient,
  cards: readonly object[],
  tell: (done: number) => void,
  signal: AbortSignal,
): Promise<number> {
  let done = 0;
  let known = 0;
  await eachOf(cards, AT_A_TIME, async (input) => {
    signal.throwIfAborted();
    try {
      await client.send(CREATE, { input });
    } catch (thrown) {
      if (!(thrown instanceof AnsweredError && thrown.code === 'CONFLICT')) throw thrown;
      known += 1;
    }
    done += 1;
    tell(done);
  });
  for (;;) {
    const { indexStatus } = await client.ask<{ indexStatus: { pending: number; failed: number } }>('indexStatus');
    if (indexStatus.failed > 0) throw new Error(`${indexStatus.failed} cards could not be indexed`);
    if (indexStatus.pending === 0) return known;
    await delay(POLL_MS, signal);
    signal.throwIfAborted();
  }
}
