/**
 * How long does a student's first search wait for the index of their own cards, the next one after a change, and a
 * search itself?
 *
 *     npm run bench -- owners [--cards 20000] [--rounds 5]
 *
 * Without servers: the index of a school with twice as many cards, of which every second one belongs to one student.
 * Copies the student's index from it, and builds one from the texts of the same cards; then changes one of the cards.
 * Also prints the longest turn of the event loop during the copy. Then searches as many own cards by `hybridSearch`,
 * every one scored and retrieved from vector columns. All times but that of a turn are processor times.
 */
import { DEFAULT_VIEWER, type Viewer } from '../src/domain/viewer.js';
import { LexicalIndex } from '../src/lexical/lexical-index.js';
import { analyserOf } from '../src/lexical/terms.js';
import { BUILTIN_SETTINGS, requestBy } from '../src/search/profile.js';
import { ViewerIndexes } from '../src/search/viewer-indexes.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { longestTurn, percentile } from './measure.js';
import { among, memoryWorld, stored } from './memory-engine.js';
import { notebook } from './notebook.js';
import { benchmark, range, readOptions } from './run.js';

const options = readOptions({ cards: 20_000, rounds: 5 });
const CARDS = options.cards;
const student: Viewer = { ...DEFAULT_VIEWER, ownerId: 'student', role: 'student' };
const SEARCHES = 50;

/** The processor time that the work takes, in ms: a busy machine does not change it much. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

await benchmark(async (run) => {
  const analyse = analyserOf(new Tokenizer());
  const school = new LexicalIndex(analyse);
  const all = notebook(2 * CARDS).map((card, place) => ({
    ...stored(card),
    ownerId: place % 2 === 0 ? student.ownerId : `other-${place % 100}`,
  }));
  for await (const card of run.each('indexing the school', 'cards', all)) school.set(card);
  const own = all.filter(({ ownerId }) => ownerId === student.ownerId);
  const cards = new Map(own.map((card) => [card.id, card]));
  const indexes = (): ViewerIndexes =>
    new ViewerIndexes({
      tenants: { load: async () => school },
      cards: { byIds: async (_viewer, ids) => among(cards, ids) },
      analyse,
      onAsked: () => undefined,
    });
  const times = { texts: [] as number[], copied: [] as number[], changed: [] as number[], turns: [] as number[] };
  for await (const round of run.each('measuring', 'rounds', range(options.rounds))) {
    const fromTexts = new LexicalIndex(analyse);
    times.texts.push(
      await timed(async () => {
        for (const card of own) fromTexts.set(card);
      }),
    );
    const kept = indexes();
    times.copied.push(await timed(() => kept.of(student, run.signal)));
    times.turns.push(await longestTurn(() => indexes().of(student, run.signal)));
    const card = own[round] as (typeof own)[number];
    const changed = { ...card, revision: card.revision + round + 1, questionText: `${card.questionText} ${round}` };
    cards.set(card.id, changed);
    school.set(changed);
    times.changed.push(await timed(() => kept.of(student, run.signal)));
  }
  const median = (values: readonly number[]): number => percentile(values, 0.5);
  const texts = notebook(SEARCHES, 2).map(({ questionText }) => questionText);
  const searches = new Map<boolean, number[]>();
  for (const hasColumns of [false, true]) {
    const { engine } = await memoryWorld(run.each('indexing own cards', 'cards', notebook(CARDS)), { hasColumns });
    const search = (text: string): Promise<unknown> => {
      const asked = { operation: 'hybridSearch', subject: { kind: 'text', text }, filter: {} } as const;
      return engine.search(student, requestBy(BUILTIN_SETTINGS, asked, 10), run.signal);
    };
    const took: number[] = [];
    for await (const text of run.each('searching', 'searches', texts)) took.push(await timed(() => search(text)));
    searches.set(hasColumns, took);
  }
  run.report('owners', [
    {
      'own cards': own.length,
      'from texts, ms': median(times.texts),
      'copied, ms': median(times.copied),
      'longest turn, ms': median(times.turns),
      'after a change, ms': median(times.changed),
      'search that scores all, ms': median(searches.get(false) ?? []),
      'search by columns, ms': median(searches.get(true) ?? []),
    },
  ]);
});
