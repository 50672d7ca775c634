import { expect, test } from 'vitest';
import type { CardStore } from '../../../src/domain/ports/cards.js';
import { type StartIndexingParts, startIndexing } from '../../../src/runtime/start-indexing.js';
import { cardOf } from '../../support/generators.js';

const ignore = (): void => undefined;

test('a stop during the first start ends the loading of the sample notebook', async () => {
  const stopping = new AbortController();
  let stored = 0;
  const create: CardStore['create'] = async (_viewer, { id }, _request, signal) => {
    signal?.throwIfAborted();
    stored += 1;
    if (stored === 3) stopping.abort(new Error('told to stop'));
    return cardOf({ id: `${id}` });
  };
  const parts = {
    config: { seedSample: true },
    store: { create },
    ledger: { live: async () => null },
    indexing: { start: async () => undefined, reconciliation: { look: ignore }, indexer: { resume: ignore } },
    servers: { onChromaRestart: ignore },
    chroma: { onRecovery: ignore, onLoaded: ignore, onLoss: ignore, onStuck: ignore },
    claim: { onRegained: ignore },
    signal: stopping.signal,
  } as unknown as StartIndexingParts;
  await expect(startIndexing(parts)).rejects.toThrow('told to stop');
  expect(stored).toBe(3);
});
