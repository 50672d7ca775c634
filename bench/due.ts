/**
 * How long does the list of due cards take for a student with many cards and attempts?
 *
 *     npm run bench -- due [--cards 50000] [--attempts 1000000] [--rounds 200]
 *
 * All cards and attempts belong to one student, on a PostgreSQL of its own. Times in ms of the first page of 20 with
 * its cards, without and with a filter, and of the forecast of 30 days: for a student who has attempted every card, one
 * who has attempted half of them, and one who has nothing left to do.
 */
import { PostgresCardStore } from '../prisma/cards/cards.js';
import { type Database, openDatabase } from '../prisma/client.js';
import { Prisma } from '../prisma/generated/client.js';
import { DirtySignal } from '../prisma/indexing/dirty.js';
import { PostgresAttemptStore } from '../prisma/practice/attempts.js';
import { PostgresFittedSchedules } from '../prisma/practice/fitted-schedules.js';
import { PostgresPracticeSettings } from '../prisma/practice/practice-settings.js';
import { PostgresReviewStore } from '../prisma/practice/reviews.js';
import { DAY_MS } from '../src/domain/local-day.js';
import type { Viewer } from '../src/domain/viewer.js';
import { PracticeService } from '../src/practice/practice-service.js';
import { startDatabase, temporaryFolder } from './gateway.js';
import { compare, percentile } from './measure.js';
import { benchmark, readOptions } from './run.js';

const options = readOptions({ cards: 50_000, attempts: 1_000_000, rounds: 200 });

const all: Viewer = { tenantId: 'school', ownerId: 'all', role: 'student' };
const half: Viewer = { ...all, ownerId: 'half' };
/** A student without reviews and new cards. */
const done: Viewer = { ...all, ownerId: 'done' };

/** Whose cards were attempted as far, and when the first review falls due, in parts of 300 days from now. */
const STUDENTS = [
  [all, 1, -0.05],
  [half, 0.5, -0.05],
  [done, 1, 0.05],
] as const;

/** Cards of a student, attempts at a share of them, and review states that fall due in the year around now. */
async function fill(database: Database, { tenantId, ownerId }: Viewer, share: number, dueFrom: number): Promise<void> {
  const cards = options.cards;
  const attempted = Math.round(share * cards);
  await database.execute(Prisma.sql`
    INSERT INTO card (tenant_id, id, owner_id, subject, difficulty, question_text, occurred_at, question_key,
      attempted_by_owner)
    SELECT ${tenantId}, ${ownerId} || i, ${ownerId}, CASE WHEN i % 10 = 0 THEN 'physics' ELSE 'math' END, 1 + i % 5,
      'question ' || i, now() - i * interval '1 minute', 'k' || i, i <= ${attempted}::int FROM generate_series(1, ${cards}::int) i`);
  await database.execute(Prisma.sql`
    INSERT INTO attempt (tenant_id, owner_id, key, card_id, at, correct)
    SELECT ${tenantId}, ${ownerId}, 'k' || i, ${ownerId} || (1 + i % ${attempted}::int), now() - i * interval '30 seconds', i % 3 > 0
    FROM generate_series(1, ${Math.round((share * options.attempts) / 2.5)}::int) i`);
  await database.execute(Prisma.sql`
    INSERT INTO card_review (tenant_id, owner_id, card_id, due, stability, difficulty, scheduled_days, learning_steps, reps, lapses,
      state, last_review)
    SELECT ${tenantId}, ${ownerId}, ${ownerId} || i, now() + (random() + ${dueFrom}::float8) * interval '300 days', 20, 5, 20, 0, 20, 2, 'REVIEW',
      now() - interval '20 days' FROM generate_series(1, ${attempted}::int) i`);
}

await benchmark(async (run) => {
  const { closers } = run;
  const url = await startDatabase(run, await temporaryFolder(closers));
  // Filling takes longer than the statement timeout of the gateway.
  const filling = await openDatabase(url, {});
  closers.add('database', () => filling.close());
  for await (const [viewer, share, dueFrom] of run.each('storing', 'students', STUDENTS)) {
    await fill(filling, viewer, share, dueFrom);
  }
  // As autovacuum would do some minutes later.
  await filling.execute(Prisma.sql`VACUUM ANALYZE`);

  const dirty = new DirtySignal();
  const practice = new PracticeService({
    attempts: new PostgresAttemptStore(filling, dirty),
    reviews: new PostgresReviewStore(filling),
    settings: new PostgresPracticeSettings(filling),
    fits: new PostgresFittedSchedules(filling),
    onPractised: () => undefined,
    cards: new PostgresCardStore(filling, dirty),
  });
  // A day with few attempts, so that the daily limit is not reached.
  const at = new Date(Date.now() + 2 * DAY_MS);
  const page = { at, first: 20, after: null };
  const times = await compare(run, options.rounds, {
    'due, all attempted': () => practice.due(all, { ...page, filter: {} }),
    'due, half attempted': () => practice.due(half, { ...page, filter: {} }),
    'nothing left to do': () => practice.due(done, { ...page, filter: {} }),
    'due, with a filter': () => practice.due(half, { ...page, filter: { subject: ['physics'], difficultyMin: 2 } }),
    'forecast of 30 days': () => practice.forecast(all, 30, at),
  });
  const { totalCount, dueReviews } = await practice.due(all, { ...page, filter: {} });
  console.log(
    `${options.cards} cards each, ${options.attempts} attempts; due: ${dueReviews}, of them today ${totalCount}`,
  );
  const shares = [0.5, 0.95, 1];
  run.report(
    'times',
    Object.entries(times).map(([list, ms]) => ({
      list,
      ...Object.fromEntries(shares.map((share) => [`p${100 * share} ms`, percentile(ms, share)])),
    })),
  );
});
