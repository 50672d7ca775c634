import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { describeOwnChroma, removeFolder, temporaryFolder } from '../../support/embedded.js';
import { startGateway } from '../../support/gateway.js';
import { createCard, idsOf, search } from '../../support/notebook.js';
import { until } from '../../support/until.js';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

describeOwnChroma('a Chroma whose folder is removed while it runs', () => {
  test('is restarted, and every card is found in it again', async () => {
    const dataDir = await temporaryFolder();
    // Dense candidates are those of Chroma alone.
    const gateway = await startGateway({ embedded: true, dataDir, env: { SEARCH_EXACT_LIMIT: '0' } });
    try {
      await createCard(gateway, { id: 'kite', questionText: 'A kite flies at 40 metres' }, true);
      await rm(join(dataDir, 'chroma', 'server'), { recursive: true });
      await createCard(gateway, { id: 'zebra', questionText: 'A zebra runs 60 metres' });
      const isRestarted = (): boolean => gateway.output().includes('chroma is down and will be restarted');
      await until(isRestarted, { deadlineMs: 200_000, what: 'Chroma to be restarted' });
      expect(gateway.output()).toContain('the vector server answered with an error');
      const isFound = async (id: string, text: string): Promise<boolean> => {
        const answer = await search(gateway, 'similarQuestions', { text, options: { lexicalShare: 0 } });
        return answer.receipt.degraded.length === 0 && idsOf(answer)[0] === id;
      };
      const areFound = async () => (await isFound('kite', 'kite flies')) && isFound('zebra', 'zebra runs');
      await until(areFound, { deadlineMs: 60_000, what: 'both cards to be found' });
    } finally {
      await gateway.close();
      await removeFolder(dataDir);
    }
  });
});
