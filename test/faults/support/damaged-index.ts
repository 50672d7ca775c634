import { NO_FOREGROUND } from '../../../src/domain/background.js';
import { asError } from '../../../src/domain/errors.js';
import { PERSPECTIVES } from '../../../src/domain/perspective.js';
import { modelKey } from '../../../src/domain/ports/models.js';
import { ReconciliationLoop } from '../../../src/indexing/reconciliation-loop.js';
import { startChroma } from '../../../src/runtime/embedded/chroma.js';
import { embeddedOptions, removeFolder, temporaryFolder } from '../../support/embedded.js';
import { until } from '../../support/until.js';
import type { Damage } from './damage.js';
import { verdictOf } from './oracle.js';
import { openWorld, ownTexts, type World } from './world.js';

const CARDS = 30;

/** A few seconds where nothing else runs. */
const HEALED_WITHIN_MS = 60_000;

/** So few records make Chroma write its files, which it does by default at a thousand. */
const SYNC = { batch_size: 5, sync_threshold: 10 };

/** What became of an index whose files were damaged: what is wrong at the end, and what was logged. */
export interface Outcome {
  readonly problems: readonly string[];
  readonly lines: readonly string[];
}

/**
 * Indexes cards, stops Chroma, damages its files, starts it again and lets the index heal as a gateway does: tried at
 * the start and whenever Chroma comes back, looked through soon after.
 */
export async function afterDamage({ to }: Damage): Promise<Outcome> {
  const folder = await temporaryFolder();
  const options = embeddedOptions(folder);
  let chroma = await startChroma(options);
  const world = await openWorld(() => chroma.url());
  try {
    await createSyncing(world);
    const ids = Array.from({ length: CARDS }, (_, place) => `card-${place}`);
    // One after the other: on a busy machine, some of thirty at once wait longer for a connection than they may.
    for (const [place, id] of ids.entries()) await world.create(id, ownTexts(place));
    await world.settle();
    await chroma.close();
    await to(folder);
    chroma = await startChroma(options);

    const times = { firstMs: 0, everyMs: 1_000, soonMs: 500, restMs: 100, passMs: 60_000 };
    const log = { info: () => undefined, warn: () => undefined };
    const loop = new ReconciliationLoop({ ...world, random: Math.random, background: NO_FOREGROUND, times, log });
    chroma.onRestart(() => {
      world.chroma.cameBack();
      loop.look();
    });
    world.chroma.onLoss(loop.look);
    loop.start();
    let problems: readonly string[] = ['the index never came to rest'];
    const whole = async (): Promise<boolean> => {
      await world.settle();
      problems = await verdictOf(world, { live: new Set(ids), deleted: new Set() });
      return problems.length === 0;
    };
    try {
      await until(whole, { deadlineMs: HEALED_WITHIN_MS, what: 'the index to be whole' });
    } catch (thrown) {
      problems = [...problems, String(asError(thrown).cause ?? thrown)];
    } finally {
      await loop.close();
    }
    return { problems, lines: [...world.lines, ...options.lines.map(({ message }) => message)] };
  } finally {
    await world.close();
    await chroma.close();
    await removeFolder(folder);
  }
}

/** The first generation, with collections that Chroma writes to its files early. */
async function createSyncing(world: World): Promise<void> {
  const { tenantId } = world.viewer;
  const {
    generation: { number },
  } = await world.ledger.startGeneration(tenantId, modelKey(world.embedder.model));
  await world.inChroma.create({ tenantId, number, modelKey: '', state: 'building' }, world.embedder.model);
  for (const perspective of PERSPECTIVES) {
    const key = { tenantId, generation: number, perspective };
    const { name, configuration } = await world.collections.use('read', key, async (one) => one);
    await world.chroma.call('write', async (client) => {
      await client.deleteCollection({ name });
      const hnsw = { ...configuration.hnsw, ...SYNC };
      await client.createCollection({ name, configuration: { hnsw }, embeddingFunction: null });
    });
  }
}
