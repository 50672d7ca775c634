/**
 * How long does a later page of a search take, relative to the first one?
 *
 *     npm run bench -- pages [--cards 20000] [--rounds 100]
 *
 * Unfiltered `hybridSearch` with 10 hits per page: pages 1, 2, 5, 10 and 20 (the last one), in turn. In one process
 * without servers, so without reading cards from PostgreSQL. Nothing is kept between pages: a page is computed by a
 * search down to its last hit.
 */
import { MAX_HITS } from '../src/domain/search.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import { compare, latencies, percentile } from './measure.js';
import { memoryWorld, searchFor } from './memory-engine.js';
import { notebook } from './notebook.js';
import { benchmark, readOptions } from './run.js';

const options = readOptions({ cards: 20_000, rounds: 100 });
const ROUNDS = options.rounds;
const PAGE = 10;
const PAGES = [1, 2, 5, 10, MAX_HITS / PAGE];
const cards = notebook(options.cards);
const texts = notebook(ROUNDS, 2).map(({ questionText }) => questionText);

await benchmark(async (run) => {
  const { engine } = await memoryWorld(run.each('indexing', 'cards', cards), { hasColumns: true });
  // As `SearchPages` asks for a page: by its last hit.
  const firstHits = (hits: number) => (round: number) =>
    engine.search(DEFAULT_VIEWER, searchFor(texts[round % texts.length] ?? '', hits), run.signal);
  const pages = PAGES.map((page) => [`page ${page}`, firstHits(page * PAGE)] as const);
  const times = await compare(run, ROUNDS, Object.fromEntries(pages));
  const firstMs = percentile(times['page 1'] ?? [], 0.5);
  run.report(
    `${cards.length} cards, ${PAGE} hits a page`,
    Object.entries(times).map(([page, all]) => ({
      page,
      ...latencies(all),
      'x page 1': percentile(all, 0.5) / firstMs,
    })),
  );
});
