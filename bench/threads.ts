/**
 * What do scoring threads gain?
 *
 *     npm run bench -- threads [--cards 20000] [--searches 100] [--rounds 8] [--threads 1]
 *
 * Unfiltered searches with the default settings over a generated notebook, without servers, one at a time and 16 at
 * once, with the passes over all cards on the event loop and in threads. Both alternate by rounds, so that other
 * programs affect both; the figures are medians of the rounds. On a busy machine read the processor times: of the
 * process, of its main thread (on Linux only), and of one turn of the event loop, for which all other requests have to
 * wait.
 */

import type { Scorer } from '../src/domain/ports/scoring.js';
import { nextTurn } from '../src/domain/steps.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import { ThisThread } from '../src/scoring/score-pass.js';
import { ScoringThreads } from '../src/scoring/scoring-threads.js';
import { cpuClock } from './loop-probe.js';
import { percentile } from './measure.js';
import { memoryWorld, searchFor } from './memory-engine.js';
import { notebook } from './notebook.js';
import { benchmark, type Row, range, readOptions } from './run.js';

const options = readOptions({ cards: 20_000, searches: 100, rounds: 8, threads: 1 });
const SEARCHES = options.searches;
const ROUNDS = options.rounds;
const CLIENTS = [1, 16];
const TOP_K = 10;
const cards = notebook(options.cards);
const texts = notebook(SEARCHES, 2).map(({ questionText }) => questionText);
/** Of one round, by the column of the table. */
type Figures = Readonly<Record<string, number>>;

const main = cpuClock() ?? (() => [Number.NaN, Number.NaN] as const);

await benchmark(async (run) => {
  const threads = new ScoringThreads({
    count: options.threads,
    leastCards: 0,
    log: { warn: (facts) => console.error(facts) },
  });
  run.closers.add('scoring threads', threads.close);
  const here = new ThisThread();
  let scorer: Scorer = here;
  const { engine } = await memoryWorld(run.each('indexing', 'cards', cards), {
    hasColumns: true,
    scorer: { run: (task, given) => scorer.run(task, given), runHere: (task) => here.runHere(task) },
  });
  const roundOf = async (name: string, clients: number): Promise<Figures> => {
    const times: number[] = [];
    const turns: number[] = [];
    const before = process.cpuUsage();
    const [mainBefore] = main();
    let [turnBefore] = main();
    const watch = setInterval(() => {
      const [now] = main();
      turns.push(now - turnBefore);
      turnBefore = now;
    }, 1);
    const started = performance.now();
    await run.together(name, 'searches', texts, clients, async (text) => {
      // As requests come: without servers nothing else would let the event loop turn.
      await nextTurn();
      const asked = performance.now();
      await engine.search(DEFAULT_VIEWER, searchFor(text, TOP_K), run.signal);
      times.push(performance.now() - asked);
    });
    clearInterval(watch);
    const { user, system } = process.cpuUsage(before);
    return {
      'searches/s': (1_000 * SEARCHES) / (performance.now() - started),
      'p50, ms': percentile(times, 0.5),
      'processor time of a search, ms': (user + system) / 1_000 / SEARCHES,
      'of the main thread, ms': (main()[0] - mainBefore) / SEARCHES,
      'turn of the event loop p99, ms': percentile(turns, 0.99),
    };
  };
  const scorers = { 'event loop': here, [`${options.threads} threads`]: threads };
  const rows: Row[] = [];
  for (const clients of CLIENTS) {
    const rounds = new Map<string, Figures[]>(Object.keys(scorers).map((name) => [name, []]));
    for (const round of range(ROUNDS + 1)) {
      for (const [name, one] of Object.entries(scorers)) {
        scorer = one;
        const measured = await roundOf(`${name}, ${clients} clients`, clients);
        // The first is the warm-up.
        if (round > 0) rounds.get(name)?.push(measured);
      }
    }
    for (const [pass, all] of rounds) {
      const median = (figure: string): number =>
        percentile(
          all.map((round) => round[figure] as number),
          0.5,
        );
      const figures = Object.keys(all[0] ?? {}).map((figure) => [figure, median(figure)]);
      rows.push({ clients, pass, ...Object.fromEntries(figures) });
    }
  }
  run.report(`${cards.length} cards`, rows);
});
