import { expect, test, vi } from 'vitest';
import { removeFolder, temporaryFolder } from '../../support/embedded.js';
import { seedOfRun } from '../../support/seed.js';
import { killLoop } from '../support/kill-loop.js';
import { numberFrom, tell } from '../support/tally.js';

/** Each loop is a kill, a recovery and a look at every card: some seconds, and more with every card. */
const LOOPS = numberFrom('ERRATA_LOOPS', 20);
vi.setConfig({ testTimeout: LOOPS * 60_000, hookTimeout: LOOPS * 60_000 });

test(`${LOOPS} kills of the gateway, of Chroma and of PostgreSQL at random moments lose nothing`, async () => {
  const seed = seedOfRun();
  tell({ seed, again: `ERRATA_SEED=${seed} npm run test:faults -- kill-loops` });
  const dataDir = await temporaryFolder();
  try {
    const outcome = await killLoop(dataDir, { loops: LOOPS, seed });
    tell({ loops: outcome.loops, kills: outcome.kills, acknowledged: outcome.acknowledged, lost: outcome.lost });
    expect({ seed, problems: outcome.problems, lost: outcome.lost }).toEqual({ seed, problems: [], lost: 0 });
    // Every loop writes until it is killed: less than a card a loop would have shown nothing.
    expect(outcome.acknowledged).toBeGreaterThan(LOOPS);
  } finally {
    await removeFolder(dataDir);
  }
});
