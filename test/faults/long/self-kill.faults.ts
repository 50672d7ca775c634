import { afterEach, expect, test, vi } from 'vitest';
import { removeFolder, temporaryFolder } from '../../support/embedded.js';
import { startGateway } from '../../support/gateway.js';
import { gatewayDatabase } from '../../support/gateway-database.js';
import { createCard, idsOf, indexed, search } from '../../support/notebook.js';
import { preload } from '../support/preload.js';
import { numberFrom, tell } from '../support/tally.js';
import { wordOf } from '../support/world.js';

/** The first start alone makes some fifteen calls: with fewer no card is ever acknowledged, and the test fails. */
const CALLS = numberFrom('ERRATA_CALLS', 40);
vi.setConfig({ testTimeout: CALLS * 90_000, hookTimeout: CALLS * 90_000 });

const undos: (() => Promise<unknown>)[] = [];
const undo = async (): Promise<void> => {
  for (const one of undos.splice(0).reverse()) await one();
};
afterEach(undo);

/** What a gateway says before it kills itself; a pipe keeps what was written to it. */
const KILLED = 'killed at a call to Chroma';

/** Every request to Chroma goes through fetch, whichever library sends it. */
const killAt = (call: number): string => `
  import { writeSync } from 'node:fs';
  let calls = 0;
  const real = globalThis.fetch;
  globalThis.fetch = async (...args) => {
    calls += 1;
    if (calls === ${call}) {
      writeSync(2, '${KILLED}\\n');
      process.kill(process.pid, 'SIGKILL');
    }
    return real(...args);
  };`;

const textOf = (place: number): string => `${wordOf(place)} shares how many apples?`;

test(`a gateway that is killed at any of its first ${CALLS} calls to Chroma has everything after the next start`, async () => {
  let kills = 0;
  let acknowledged = 0;
  let lost = 0;
  for (let call = 1; call <= CALLS; call += 1) {
    const database = await gatewayDatabase();
    const dataDir = await temporaryFolder();
    undos.push(
      () => database.drop(),
      () => removeFolder(dataDir),
    );
    const start = async (env: Readonly<Record<string, string>> = {}) => {
      const gateway = await startGateway({ database, dataDir, env });
      undos.push(() => gateway.close());
      return gateway;
    };
    // What fails for another reason than the kill is not what is tried here.
    const unlessKilled = (said: string, thrown: unknown): null => {
      if (!said.includes(KILLED)) throw thrown;
      kills += 1;
      return null;
    };
    const first = await start(await preload(undos, killAt(call))).catch((thrown: Error) =>
      unlessKilled(thrown.message, thrown),
    );
    const ids: string[] = [];
    for (let place = 0; place < 20 && first !== null; place += 1) {
      const input = { id: `card-${place}`, questionText: textOf(place) };
      const card = await createCard(first, input, place % 2 === 1).catch(async (thrown: unknown) => {
        await first.exited;
        return unlessKilled(first.output(), thrown);
      });
      if (card === null) break;
      ids.push(card.id);
    }
    acknowledged += ids.length;
    // Where its cards needed fewer calls, it was not killed.
    await first?.close();
    const again = await start();
    await indexed(again);
    for (const [place, id] of ids.entries()) {
      const found = idsOf(await search(again, 'similarQuestions', { text: textOf(place), topK: 3 }));
      if (found[0] !== id) lost += 1;
    }
    await undo();
  }
  tell({ calls: CALLS, kills, acknowledged, lost });
  expect(lost).toBe(0);
  // Beyond what twenty cards ask of Chroma there is no call to be killed at.
  expect(kills).toBeGreaterThanOrEqual(Math.min(CALLS, 20));
  expect(acknowledged).toBeGreaterThan(0);
});
