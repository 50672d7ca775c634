import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onLinux, removeFolder, temporaryFolder } from '../support/embedded.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { createCard, idsOf, indexed, search } from '../support/notebook.js';
import { seedOfRun } from '../support/seed.js';
import { until } from '../support/until.js';
import { killLoop } from './support/kill-loop.js';
import { stopped } from './support/stopped.js';

const describeOnLinux = onLinux ? describe : describe.skip;

describeOnLinux('a gateway whose server hangs', () => {
  let gateway: Gateway;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await temporaryFolder();
    gateway = await startGateway({ embedded: true, dataDir });
    await createCard(gateway, { id: 'kite', questionText: 'A kite flies at 40 metres: find the string length' }, true);
  });
  afterAll(async () => {
    await gateway.close();
    await removeFolder(dataDir);
  });

  test('answers with lexical lanes while Chroma hangs, says so, soon without waiting, and recovers with Chroma', async () => {
    const degraded = async () => {
      // Places in a lane are asked of Chroma; for the best sums, what is in memory would be enough.
      const args = { text: 'kite string length', options: { fusion: 'RRF' } };
      const { hits, receipt } = await search(gateway, 'similarQuestions', args);
      expect(idsOf({ hits })[0]).toBe('kite');
      return receipt.degraded;
    };
    // What the first card has made late is over.
    await until(async () => (await degraded()).length === 0, { deadlineMs: 30_000, what: 'whole searches before' });
    await stopped(dataDir, 'chroma', async () => {
      const [first] = await degraded();
      expect(first).toMatchObject({ part: 'dense question', reason: expect.stringContaining('no answer within') });
      const turnedAway = async () => (await degraded())[0]?.reason.includes('circuit breaker open');
      await until(turnedAway, { deadlineMs: 30_000, what: 'searches not to wait any more' });
      await createCard(gateway, { id: 'zebra', questionText: 'A zebra runs 60 metres: find its speed' });
      // On a busy machine PostgreSQL may miss the deadline of a probe, too.
      const ready = async (): Promise<unknown> => {
        const reply = await fetch(new URL('/readyz', gateway.url));
        return reply.status === 200 && reply.json();
      };
      const said = await until(ready, { deadlineMs: 30_000, what: 'the gateway to be ready without Chroma' });
      expect(said).toMatchObject({ detail: { chroma: expect.stringContaining('degraded') } });
    });
    await until(async () => (await degraded()).length === 0, { deadlineMs: 30_000, what: 'whole searches' });
    await indexed(gateway);
    expect(idsOf(await search(gateway, 'similarQuestions', { text: 'zebra runs speed' }))[0]).toBe('zebra');
  });

  test('reports that it is not ready while PostgreSQL hangs, without waiting, and recovers with PostgreSQL', async () => {
    await stopped(dataDir, 'postgres', async () => {
      const ready = await fetch(new URL('/readyz', gateway.url));
      expect(ready.status).toBe(503);
      // It gave up waiting by itself: PostgreSQL stands still until this is asserted.
      expect(await ready.json()).toMatchObject({ detail: { database: expect.stringContaining('no answer within') } });
    });
    await gateway.ready();
    expect(idsOf(await search(gateway, 'similarQuestions', { text: 'kite string length' }))[0]).toBe('kite');
  });
});

/** `npm run test:faults` kills more often. */
test('a PostgreSQL that is killed during writes restarts with all acknowledged changes', async () => {
  const seed = seedOfRun();
  const dataDir = await temporaryFolder();
  try {
    const { acknowledged, ...outcome } = await killLoop(dataDir, { loops: 1, seed, victims: ['postgres'] });
    expect({ seed, ...outcome }).toMatchObject({ seed, kills: { postgres: 1 }, lost: 0, problems: [] });
    expect(acknowledged).toBeGreaterThan(0);
  } finally {
    await removeFolder(dataDir);
  }
});
