import { expect, test } from 'vitest';
import { type StartIndexingParts, startIndexing } from '../../../src/runtime/start-indexing.js';

const ignore = (): void => undefined;

test('a stop during the first start ends the loading of the sample notebook', async () => {
  const stopping = new AbortController();
  let calls = 0;
  const createAll: StartIndexingParts['createAll'] = async (_viewer, { length }) => {
    calls += 1;
    stopping.abort(new Error('told to stop'));
    return length;
  };
  const parts = {
    config: { seedSample: true },
    createAll,
    ledger: { live: async () => null },
    indexing: { start: async () => undefined, reconciliation: { look: ignore }, indexer: { resume: ignore } },
    servers: { onChromaRestart: ignore },
    chroma: { onRecovery: ignore, onLoaded: ignore, onLoss: ignore, onStuck: ignore },
    claim: { onRegained: ignore },
    signal: stopping.signal,
  } as unknown as StartIndexingParts;
  await expect(startIndexing(parts)).rejects.toThrow('told to stop');
  expect(calls).toBe(1);
});
