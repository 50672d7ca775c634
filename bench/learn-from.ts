import type { NewCard } from '../src/domain/card.js';
import type { LearnedOperation } from '../src/domain/profile.js';
import type { ProfileSettings } from '../src/domain/search.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import { Learner } from '../src/evaluation/learning/learner.js';
import { describeOperation } from '../src/evaluation/profiles.js';
import { among, type MemoryWorld, stored } from './memory-engine.js';

export interface Learned {
  readonly operations: readonly LearnedOperation[];
  readonly processorS: number;
}

/**
 * Learns from the cards of a world, as a gateway does in the background, and prints what came of it and how long it
 * took.
 */
export async function learnFrom(
  cards: readonly NewCard[],
  { engine, index }: MemoryWorld,
  defaults: ProfileSettings,
  signal: AbortSignal,
): Promise<Learned> {
  const byId = new Map(cards.map((card) => [`${card.id}`, stored(card)]));
  const learner = new Learner({
    rescorers: engine,
    cards: { byIds: async (_viewer, ids) => among(byId, ids) },
    defaults,
    takeTurn: async (step) => step(),
  });
  const started = process.cpuUsage();
  const operations = await learner.learn(DEFAULT_VIEWER, index, signal);
  const { user, system } = process.cpuUsage(started);
  const processorS = (user + system) / 1e6;
  console.log(`\nlearned from ${cards.length} cards in ${processorS.toFixed(1)} s of processor time`);
  for (const one of operations) console.log(`  ${describeOperation(one)}: ${changesOf(one.settings, defaults)}`);
  return { operations, processorS };
}

/** The settings that differ from the defaults. */
function changesOf(settings: ProfileSettings, defaults: ProfileSettings): string {
  const changed = Object.entries(settings).filter(([name, value]) => value !== defaults[name as keyof ProfileSettings]);
  return changed.length === 0 ? 'the defaults' : JSON.stringify(Object.fromEntries(changed));
}
