import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { delay } from '../../../src/domain/async.js';
import { seededRandom } from '../../../src/evaluation/random.js';
import { readIdentity } from '../../../src/runtime/embedded/process.js';
import { describeOwnChroma, removeFolder, temporaryFolder } from '../../support/embedded.js';
import { type Gateway, startGateway } from '../../support/gateway.js';
import { createCard } from '../../support/notebook.js';
import { seedOfRun } from '../../support/seed.js';
import { until } from '../../support/until.js';
import { failCalls, whyNoIoErrors } from '../support/io-errors.js';
import { lastEvents, settled } from '../support/kill-loop.js';
import { tell } from '../support/tally.js';
import { Writers } from '../support/writers.js';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/** How long calls go on failing after the first one has. */
const FAILING_MS = 3_000;

/** A Chroma that hangs after its disk has failed is started again after a minute of that. */
const REST_WITHIN_MS = 150_000;

/** A card that nobody changes, and a text that it is found by. */
const KITE = {
  id: 'kite',
  questionText: 'A kite flies at 40 metres: find the string length',
  studentSolutionText: 'forty',
  topicTags: ['kites'],
  errorTypes: ['a guess'],
};

const why = whyNoIoErrors();
if (why !== null) process.stdout.write(`skipped: no call of a server can be made to fail, as ${why}\n`);
const describeWhereTraced = why === null ? describe : describe.skip;

const undos: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of undos.splice(0).reverse()) await undo();
});

describeOwnChroma('where the disk fails', () => {
  describeWhereTraced(
    'errors are reported, no wrong result is returned, and acknowledged changes exist afterwards:',
    () => {
      test.each([
        ['postgres', 'pwrite64', 5],
        ['postgres', 'fdatasync', 3],
        ['postgres', 'pread64', 1],
        ['chroma', 'pwrite64', 5],
        ['chroma', 'pread64', 1],
      ] as const)('%s, each %s of a thread from its number %i on', async (server, call, from) => {
        const seed = seedOfRun();
        const dataDir = await temporaryFolder();
        undos.push(() => removeFolder(dataDir));
        const gateway = await startGateway({ embedded: true, dataDir });
        undos.push(() => gateway.close());
        await createCard(gateway, KITE, true);
        const writers = new Writers(seededRandom(seed), () => 1);
        const stop = new AbortController();
        const writing = writers.write(gateway, stop.signal);
        const answers = searching(gateway, stop.signal);
        await delay(1_000);

        const identity = await readIdentity(join(dataDir, server, 'running.json'));
        const errors = await failCalls(identity?.pid ?? 0, call, from);
        undos.push(() => errors.end());
        await until(() => errors.count() > 0, { deadlineMs: 60_000, what: `a ${call} of ${server} to fail` });
        await delay(FAILING_MS);
        await errors.end();
        stop.abort();
        await writing;
        const { wrong, refused, right } = await answers;

        await until(() => atRest(gateway), { deadlineMs: REST_WITHIN_MS, what: 'the index to be at rest' }).catch(
          () => undefined,
        );
        const found = await settled(gateway, writers, true).catch((cause: unknown) => {
          throw new Error(`it does not come to rest; the gateway said at last\n${lastEvents(gateway)}`, {
            cause,
          });
        });
        const { acknowledged } = writers;
        tell({ seed, server, call, failed: errors.count(), acknowledged, right, refused, lost: found.lost });
        expect({ seed, wrong }, lastEvents(gateway)).toEqual({ seed, wrong: [] });
        expect({ seed, ...found }).toEqual({ seed, lost: 0, problems: [] });
        // And so it is when the data is read again.
        await gateway.close();
        const again = await startGateway({ embedded: true, dataDir });
        undos.push(() => again.close());
        expect({ seed, ...(await settled(again, writers, true)) }).toEqual({ seed, lost: 0, problems: [] });
      });
    },
  );
});

async function atRest(gateway: Gateway): Promise<boolean> {
  const { data } = await gateway.gql<{ indexStatus: { pending: number } }>('{ indexStatus { pending } }');
  return data?.indexStatus.pending === 0;
}

/** What a search may be refused with while a part of the gateway is in trouble. */
const REFUSALS: ReadonlySet<unknown> = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED']);

/**
 * Searches for the card that nobody changes until the signal aborts: it must be the first, or the search be refused.
 */
async function searching(
  gateway: Gateway,
  signal: AbortSignal,
): Promise<{ readonly right: number; readonly refused: number; readonly wrong: readonly string[] }> {
  let [right, refused] = [0, 0];
  const wrong: string[] = [];
  const query = `query ($text: String!) {
    similarQuestions(text: $text, topK: 3, options: { fusion: RRF }) {
      hits { card { id } }
      receipt { retrievedBy candidates nothingClose degraded { part reason } }
    }
  }`;
  while (!signal.aborted) {
    const { data, errors } = await gateway.gql<{ similarQuestions: { hits: { card: { id: string } }[] } }>(query, {
      text: KITE.questionText,
    });
    if (data?.similarQuestions?.hits[0]?.card.id === KITE.id) right += 1;
    else if (REFUSALS.has(errors?.[0]?.extensions.code)) refused += 1;
    else wrong.push(JSON.stringify({ data, errors }));
    await delay(20);
  }
  return { right, refused, wrong };
}
