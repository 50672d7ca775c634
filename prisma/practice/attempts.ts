import type { Owner } from '../../src/domain/duplicates.js';
import { BadInputError, ForbiddenError } from '../../src/domain/errors.js';
import type { AttemptStore, LogRange, OwnedAttempt, Replay } from '../../src/domain/ports/practice.js';
import {
  type Attempt,
  type AttemptOutcome,
  type AttemptResult,
  type AttemptToRecord,
  DEFAULT_PRACTICE_SETTINGS,
  type PracticeSettings,
  type ReviewState,
  type ReviewStep,
  reviewedBy,
  type StoredAttempt,
} from '../../src/domain/practice.js';
import { changeableOwner, type Viewer } from '../../src/domain/viewer.js';
import { lockOwners } from '../cards/card-rows.js';
import type { Database } from '../client.js';
import { collision, sqlState } from '../errors.js';
import type { CardReview, Prisma } from '../generated/client.js';
import type { DirtySignal } from '../indexing/dirty.js';
import type { Transaction, ViewerDatabase, ViewerTransaction } from '../statements.js';
import { ownedBy, visibleTo } from '../viewer-conditions.js';
import { recordMistakes } from './attempt-occurrences.js';
import { findAttemptedCards } from './attempted-cards.js';
import { findSettings, usedWeights } from './schedule-parameters.js';

/** Limit of attempts at one card by one student: each new attempt replays all of them. */
const MAX_PER_CARD = 500;

/** Review states in one statement, because the number of its parameters is limited. */
const SLICE = 1_000;

/** SQLSTATE of a row that a policy refuses. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** The columns of an attempt that computations need. */
export const LOGGED = {
  key: true,
  cardId: true,
  reviewOf: true,
  at: true,
  correct: true,
  hints: true,
  durationMs: true,
  changedAnswer: true,
} as const satisfies Record<keyof Attempt, true>;

/** Attempts at the same time are ordered by key, so that the order does not depend on when they were recorded. */
const IN_TIME = [{ at: 'asc' }, { key: 'asc' }] as const;

export class PostgresAttemptStore implements AttemptStore {
  constructor(
    private readonly database: Database,
    private readonly dirty: DirtySignal,
  ) {}

  async record(
    viewer: Viewer,
    byOwner: ReadonlyMap<string, readonly AttemptToRecord[]>,
    replay: Replay,
  ): Promise<ReadonlyMap<string, readonly AttemptResult[]>> {
    const owners = [...byOwner.keys()];
    const allowed = changeableOwner(viewer);
    if (allowed !== undefined && owners.some((ownerId) => ownerId !== allowed)) {
      throw new ForbiddenError('only admins may record attempts of other students');
    }
    const { results, changedCards } = await this.database.as(viewer).transaction(async (tx) => {
      await lockOwners(tx, viewer.tenantId, owners);
      const { cards, placed } = await findAttemptedCards(tx, viewer, [...byOwner.values()].flat());
      const results = new Map<string, readonly AttemptResult[]>();
      let changedCards = 0;
      for (const [ownerId, given] of byOwner) {
        const student = { ...viewer, ownerId };
        const attempts = given.map(placed);
        const outcomes = await insert(tx, student, attempts, cards);
        const recorded = attempts.filter((_, place) => outcomes[place] === 'RECORDED');
        await derive(tx, student, [...new Set(recorded.flatMap(reviewedBy))], replay);
        changedCards += await recordMistakes(tx, student, recorded);
        const states = await findReviews(
          tx,
          viewer,
          ownerId,
          attempts.map(({ cardId }) => cardId),
        );
        const own = attempts.map(({ key, cardId }, place) => ({
          key,
          cardId,
          outcome: outcomes[place] as AttemptOutcome,
          review: states.get(cardId) ?? null,
        }));
        results.set(ownerId, own);
      }
      return { results, changedCards };
    });
    if (changedCards > 0) this.dirty.notify();
    return results;
  }

  log(viewer: Viewer, ownerId: string, range: LogRange, signal?: AbortSignal): Promise<readonly Attempt[]> {
    return findAttempts(this.database.as(viewer, signal), viewer, { ownerId, at: within(range) }, range.limit);
  }

  reviews(viewer: Viewer, ownerId: string, cardIds: readonly string[]): Promise<ReadonlyMap<string, ReviewState>> {
    return this.database.as(viewer).transaction((tx) => findReviews(tx, viewer, ownerId, cardIds));
  }
}

/** The newest `limit` attempts that the viewer may see, in order of time. */
export async function findAttempts(
  database: ViewerDatabase,
  viewer: Viewer,
  which: Prisma.AttemptWhereInput,
  limit: number,
): Promise<readonly OwnedAttempt[]> {
  const rows = await database.transaction(({ prisma }) =>
    prisma.attempt.findMany({
      where: { AND: [visibleTo(viewer), which] },
      select: { ...LOGGED, ownerId: true },
      orderBy: [{ at: 'desc' }, { key: 'desc' }],
      take: limit,
    }),
  );
  return rows.reverse();
}

/** The times of a range, as a condition. */
export function within({ after, before }: Omit<LogRange, 'limit'>): Prisma.DateTimeFilter {
  return { ...(after !== null && { gte: after }), ...(before !== null && { lt: before }) };
}

/** Inserts the new attempts at these cards; returns the outcome of each. */
async function insert(
  { prisma }: ViewerTransaction,
  student: Viewer,
  attempts: readonly AttemptToRecord[],
  cards: ReadonlySet<string>,
): Promise<readonly AttemptOutcome[]> {
  const { tenantId, ownerId } = student;
  const isPossible = (attempt: AttemptToRecord): boolean => reviewedBy(attempt).every((id) => cards.has(id));
  const possible = attempts.filter(isPossible);
  const inserted = await prisma.attempt
    .createManyAndReturn({
      data: possible.map((attempt) => ({ tenantId, ownerId, ...columnsOf(attempt) })),
      skipDuplicates: true,
      select: { key: true },
    })
    .catch((thrown: unknown) => {
      // The policy requires that the card is there: it was deleted after it was read.
      throw sqlState(thrown) === INSUFFICIENT_PRIVILEGE ? collision(thrown) : thrown;
    });
  const isNew = new Set(inserted.map(({ key }) => key));
  const keys = [...new Set(possible.map(({ key }) => key))];
  const stored = await prisma.attempt.findMany({ where: { ...ownedBy(student), key: { in: keys } } });
  const byKey = new Map(stored.map((row) => [row.key, row]));
  return attempts.map((attempt) => {
    const { key } = attempt;
    if (!isPossible(attempt)) return 'CARD_NOT_FOUND';
    const known = byKey.get(key);
    if (known === undefined) throw new Error('an attempt was neither inserted nor there');
    if (!isSame(attempt, known)) return 'CONFLICT';
    // Of two attempts with one key in a request, the first one is new.
    return isNew.delete(key) ? 'RECORDED' : 'REPEATED';
  });
}

function columnsOf({ ownerId: _, recordOccurrence: _o, isDated: _d, ...attempt }: AttemptToRecord): StoredAttempt {
  return attempt;
}

function isSame(given: AttemptToRecord, stored: StoredAttempt): boolean {
  const { at, ...columns } = columnsOf(given);
  const isThen = !given.isDated || at.getTime() === stored.at.getTime();
  return isThen && Object.entries(columns).every(([column, value]) => stored[column as keyof StoredAttempt] === value);
}

/** Recomputes the review states of all cards of this selection that a student has attempted. */
export async function deriveAll(
  tx: Transaction,
  student: Owner,
  selection: Prisma.CardWhereInput,
  replay: Replay,
): Promise<void> {
  const rows = await tx.prisma.attempt.groupBy({ by: ['cardId', 'reviewOf'], where: ownedBy(student) });
  const cards = await tx.prisma.card.findMany({
    where: { ...selection, id: { in: [...new Set(rows.flatMap(reviewedBy))] } },
    select: { id: true },
  });
  const ids = cards.map(({ id }) => id);
  for (let at = 0; at < ids.length; at += SLICE) {
    await derive(tx, student, ids.slice(at, at + SLICE), replay);
  }
}

/** Recomputes the review states of a student's cards from the log. */
export async function derive(
  tx: Transaction,
  student: Owner,
  cardIds: readonly string[],
  replay: Replay,
): Promise<void> {
  if (cardIds.length === 0) return;
  const { tenantId, ownerId } = student;
  const of = { ...ownedBy(student), cardId: { in: [...cardIds] } };
  const settings: PracticeSettings = (await findSettings(tx, student)) ?? DEFAULT_PRACTICE_SETTINGS;
  const weights = await usedWeights(tx, student);
  const within = { in: [...cardIds] };
  const log = await tx.prisma.attempt.findMany({
    where: { ...ownedBy(student), OR: [{ cardId: within }, { reviewOf: within }] },
    select: LOGGED,
    orderBy: [...IN_TIME],
  });
  const byCard = new Map<string, Attempt[]>(cardIds.map((id) => [id, []]));
  for (const attempt of log) for (const id of reviewedBy(attempt)) byCard.get(id)?.push(attempt);
  const attempted = [...byCard].filter(([, attempts]) => attempts.length > 0);
  const data = attempted.map(([cardId, attempts]) => {
    if (attempts.length > MAX_PER_CARD) {
      throw new BadInputError('attempts', `would give the card ${cardId} more than ${MAX_PER_CARD} attempts`);
    }
    return { tenantId, ownerId, cardId, ...replay(attempts, settings, weights) };
  });
  await tx.prisma.cardReview.deleteMany({ where: of });
  await tx.prisma.cardReview.createMany({ data });
  // Sets the flag once, with the first attempt.
  await tx.prisma.card.updateMany({
    where: { ...ownedBy(student), id: { in: attempted.map(([id]) => id) }, attemptedByOwner: false },
    data: { attemptedByOwner: true },
  });
}

async function findReviews(
  { prisma }: Transaction,
  viewer: Viewer,
  ownerId: string,
  cardIds: readonly string[],
): Promise<ReadonlyMap<string, ReviewState>> {
  const rows = await prisma.cardReview.findMany({
    where: { AND: [visibleTo(viewer), { ownerId, cardId: { in: [...cardIds] } }] },
  });
  return new Map(rows.map((row) => [row.cardId, reviewOf(row)]));
}

function reviewOf({ tenantId: _, ownerId: _o, cardId: _c, state, ...row }: CardReview): ReviewState {
  return { ...row, state: state as ReviewStep };
}
