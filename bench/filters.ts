/**
 * How long does a filtered search take, relative to an unfiltered one?
 *
 *     npm run bench -- filters [--cards 20000] [--rounds 200]
 *
 * In one run, without servers: the time to compute a filter's bitmap, and searches with filters that match 30 %, 3 %,
 * 0.1 % and one of the cards, beside the same search without a filter. Reading the hits from PostgreSQL is left out,
 * since it is the same for all.
 */
import type { CardFilter } from '../src/domain/search.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import { compare, percentile } from './measure.js';
import { memoryWorld, searchFor } from './memory-engine.js';
import { notebook } from './notebook.js';
import { benchmark, readOptions } from './run.js';

const options = readOptions({ cards: 20_000, rounds: 200 });
const ROUNDS = options.rounds;
const TOP_K = 10;
const cards = notebook(options.cards);
const texts = notebook(ROUNDS, 2).map(({ questionText }) => questionText);

const day = new Date(Date.UTC(2026, 0, 10));
const FILTERS: Readonly<Record<string, CardFilter>> = {
  'no filter': {},
  '30 %': { grade: ['G1', 'G2', 'G3', 'G4', 'G5', 'G6'], difficultyMin: 3 },
  '3 %': { grade: ['G6'], subject: ['math'], difficultyMin: 3 },
  '0.1 %': { grade: ['G6'], subject: ['physics'], difficultyMin: 5, occurredBefore: new Date(Date.UTC(2026, 3, 10)) },
  'one card': { occurredAfter: day, occurredBefore: new Date(day.getTime() + 1), excludeCardIds: excluded() },
};

/** All but one of the cards of the day. */
function excluded(): readonly string[] {
  const sameDay = cards.filter(({ occurredAt }) => occurredAt.getTime() === day.getTime());
  return sameDay.slice(1).map(({ id }) => String(id));
}

await benchmark(async (run) => {
  const { engine, index } = await memoryWorld(run.each('indexing', 'cards', cards), { hasColumns: true });
  const bitmapOf = (filter: CardFilter) => async () => index.matching(filter).size;
  const searchBy = (filter: CardFilter) => (round: number) =>
    engine.search(DEFAULT_VIEWER, searchFor(texts[round % texts.length] ?? '', TOP_K, filter), run.signal);
  const names = Object.entries(FILTERS);
  const bitmaps = await compare(run, ROUNDS, Object.fromEntries(names.map(([name, one]) => [name, bitmapOf(one)])));
  const searches = await compare(run, ROUNDS, Object.fromEntries(names.map(([name, one]) => [name, searchBy(one)])));
  const p50 = (times: typeof searches, name: string): number => percentile(times[name] ?? [], 0.5);
  run.report(
    `${cards.length} cards`,
    names.map(([name, filter]) => ({
      filter: name,
      match: index.matching(filter).size,
      'bitmap, ms': p50(bitmaps, name),
      'search, ms': p50(searches, name),
      'x unfiltered': p50(searches, name) / p50(searches, 'no filter'),
    })),
  );
});
