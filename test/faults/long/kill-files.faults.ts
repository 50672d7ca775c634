import { expect, test, vi } from 'vitest';
import { removeFolder, temporaryFolder } from '../../support/embedded.js';
import { seedOfRun } from '../../support/seed.js';
import { killLoop } from '../support/kill-loop.js';
import { numberFrom, tell } from '../support/tally.js';

/** Each loop is a kill amid imports and exports, a recovery and a look at every card. */
const LOOPS = numberFrom('ERRATA_LOOPS', 20);
vi.setConfig({ testTimeout: LOOPS * 120_000, hookTimeout: LOOPS * 120_000 });

test(`${LOOPS} kills amid imports and exports lose nothing, and leave no import stuck`, async () => {
  const seed = seedOfRun();
  tell({ seed, again: `ERRATA_SEED=${seed} npm run test:faults -- kill-files` });
  const dataDir = await temporaryFolder();
  try {
    const { loops, kills, acknowledged, files, lost, problems } = await killLoop(dataDir, {
      loops: LOOPS,
      seed,
      files: true,
    });
    tell({ loops, kills, acknowledged, files, lost });
    expect({ seed, problems, lost }).toEqual({ seed, problems: [], lost: 0 });
    expect(files.imports).toBeGreaterThan(0);
    expect(files.exports).toBeGreaterThan(0);
  } finally {
    await removeFolder(dataDir);
  }
});
