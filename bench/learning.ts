/**
 * How much processor time does learning the weights of searches take?
 *
 *     npm run bench -- learning [--cards 50000]
 *
 * Learns from generated cards in memory, as a gateway does in the background, and prints what would be used. There is
 * no Chroma: of more than 5,000 cards, those are scored that the lexical index proposes, some fewer than in a gateway.
 */
import { BUILTIN_SETTINGS } from '../src/search/profile.js';
import { learnFrom } from './learn-from.js';
import { memoryWorld } from './memory-engine.js';
import { notebook } from './notebook.js';
import { benchmark, readOptions } from './run.js';

const { cards: count } = readOptions({ cards: 50_000 });

await benchmark(async (run) => {
  const cards = notebook(count);
  const world = await memoryWorld(cards, { hasColumns: false });
  const { operations, processorS } = await learnFrom(cards, world, BUILTIN_SETTINGS, run.signal);
  const queries = operations.reduce((sum, one) => sum + one.trainingQueries + one.heldOutQueries, 0);
  run.report('learning', [{ cards: count, queries, 'processor s': processorS }]);
});
