import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { readIdentity, signal } from '../../../src/runtime/embedded/process.js';
import { describeOwnChroma, removeFolder, temporaryFolder } from '../../support/embedded.js';
import { type Gateway, startGateway } from '../../support/gateway.js';
import { createCard, idsOf, indexed, search } from '../../support/notebook.js';
import { until } from '../../support/until.js';
import { tell } from '../support/tally.js';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** The sixth death within two minutes makes it broken; the waits before double from .2 s on. */
const BROKEN_WITHIN_MS = 120_000;
/** A broken server is tried every half a minute. */
const BACK_WITHIN_MS = 90_000;

describeOwnChroma('a Chroma that dies as soon as it is there', () => {
  test('is reported as broken, one log line a delay; cards are found by lexical lanes meanwhile, and the index is complete once it stays up', async () => {
    const dataDir = await temporaryFolder();
    const gateway = await startGateway({ embedded: true, dataDir });
    try {
      await createCard(gateway, { id: 'kite', questionText: 'A kite flies at 40 metres' }, true);
      const killed = new Set<string>();
      const broken = async (): Promise<boolean> => {
        const chroma = await readIdentity(join(dataDir, 'chroma', 'running.json'));
        if (chroma !== null && !killed.has(`${chroma.pid} ${chroma.startedAt}`)) {
          killed.add(`${chroma.pid} ${chroma.startedAt}`);
          signal(chroma.pid, 'SIGKILL');
        }
        return (await stateOf(gateway)) === 'broken';
      };
      await until(broken, { deadlineMs: BROKEN_WITHIN_MS, what: 'Chroma to be called broken' });
      const lines = gateway.output().split('\n');
      const downs = lines.filter((line) => line.includes('chroma is down and will be restarted'));
      tell({ killed: killed.size, lines: downs.length });
      expect(downs.length).toBeLessThanOrEqual(killed.size);
      expect(downs.length).toBeGreaterThan(5);

      await createCard(gateway, { id: 'zebra', questionText: 'A zebra runs 60 metres' });
      const answer = await search(gateway, 'similarQuestions', { text: 'kite metres', options: { fusion: 'RRF' } });
      expect(idsOf(answer)[0]).toBe('kite');
      expect(answer.receipt.degraded.map(({ part }) => part)).toContain('dense question');

      await until(async () => (await stateOf(gateway)) === 'ready', { deadlineMs: BACK_WITHIN_MS, what: 'Chroma' });
      await indexed(gateway);
      const whole = async (): Promise<boolean> => {
        const args = { text: 'zebra runs', options: { fusion: 'RRF' } };
        const { hits, receipt } = await search(gateway, 'similarQuestions', args);
        return receipt.degraded.length === 0 && hits[0]?.card.id === 'zebra';
      };
      await until(whole, { deadlineMs: 30_000, what: 'searches to be whole' });
    } finally {
      await gateway.close();
      await removeFolder(dataDir);
    }
  });
});

/** What the gateway says of its Chroma. */
async function stateOf(gateway: Gateway): Promise<string | undefined> {
  const reply = await fetch(new URL('/readyz', gateway.url));
  const { detail } = (await reply.json()) as { detail: Record<string, string> };
  return detail['embedded chroma'];
}
