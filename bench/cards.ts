/**
 * What does reading and writing a card cost?
 *
 *     npm run bench -- cards [--cards 1000] [--rounds 300]
 *
 * Median and 95th percentile of the card store's operations, in ms, one at a time on a PostgreSQL of its own. To compare two
 * versions, run each of them at least twice in turn.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { PostgresCardStore } from '../prisma/cards.js';
import { openDatabase } from '../prisma/client.js';
import { DirtySignal } from '../prisma/dirty.js';
import { migrate } from '../prisma/migrate.js';
import type { NewCard } from '../src/domain/card.js';
import { DEFAULT_VIEWER as viewer } from '../src/domain/viewer.js';
import { questionJudge } from '../src/exchange/duplicates/judge.js';
import { startPostgres } from '../src/runtime/embedded/postgres.js';
import { temporaryFolder } from './gateway.js';
import { compare, percentile } from './measure.js';
import { notebook } from './notebook.js';
import { benchmark } from './run.js';

const { values: options } = parseArgs({
  options: { cards: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '300' } },
});
const stored = notebook(Number(options.cards));
const drafts = notebook(stored.length, 2);
const idOf = (round: number): string => String(stored[round % stored.length]?.id);
const draftOf = (round: number): NewCard => ({ ...(drafts[round % drafts.length] as NewCard), id: null });

await benchmark(async (run) => {
  const { closers, signal } = run;
  const log = pino({ level: 'warn' }, pino.destination(2));
  const dataDir = join(await temporaryFolder(closers), 'postgres');
  const postgres = await startPostgres({ dataDir, log, signal });
  closers.add('PostgreSQL', () => postgres.close());
  await migrate(postgres.url, signal);
  const database = await openDatabase(postgres.url);
  closers.add('database', () => database.close());
  const cards = new PostgresCardStore(database, new DirtySignal(), questionJudge);
  await run.together('storing', 'cards', stored, 8, (card) => cards.create(viewer, card));

  let created = '';
  const times = await compare(run, Number(options.rounds), {
    create: {
      run: async (round) => {
        created = (await cards.create(viewer, draftOf(round))).id;
      },
    },
    'create with a request key': {
      run: (round) => cards.create(viewer, draftOf(round), { key: randomUUID(), body: '' }),
    },
    'update notes': { run: (round) => cards.update(viewer, idOf(round), { notes: randomUUID() }, null) },
    'update question': {
      run: (round) =>
        cards.update(viewer, idOf(round), { questionText: `${round} ${draftOf(round).questionText}` }, null),
    },
    'update labels, solution': {
      run: (round) => {
        const { topicTags, errorTypes } = draftOf(round);
        return cards.update(viewer, idOf(round), { topicTags, errorTypes, studentSolutionText: randomUUID() }, null);
      },
    },
    'byIds(10)': {
      run: (round) =>
        cards.byIds(
          viewer,
          Array.from({ length: 10 }, (_, place) => idOf(round * 10 + place)),
        ),
    },
    'page(20)': { run: () => cards.page(viewer, {}, { first: 20, after: null }) },
    delete: { run: () => cards.delete(viewer, created) },
  });
  for (const [name, taken] of Object.entries(times)) {
    const ms = (share: number): string => percentile(taken, share).toFixed(2).padStart(7);
    console.log(`${name.padEnd(26)}${ms(0.5)} ms, p95 ${ms(0.95)} ms`);
  }
});
