import { batches } from '../../src/domain/async.js';
import { ForbiddenError } from '../../src/domain/errors.js';
import { groupedBy } from '../../src/domain/grouped.js';
import type {
  AttemptSelection,
  AttemptStore,
  LogRange,
  OwnedAttempt,
  RightAnswers,
} from '../../src/domain/ports/practice.js';
import {
  type Attempt,
  type AttemptOutcome,
  type AttemptResult,
  type AttemptToRecord,
  reviewedBy,
  type StoredAttempt,
} from '../../src/domain/practice.js';
import { changeableOwner, type Viewer } from '../../src/domain/viewer.js';
import { lockOwners } from '../cards/card-rows.js';
import { findSurvivors } from '../cards/merged-cards.js';
import type { Database } from '../client.js';
import { collision, INSUFFICIENT_PRIVILEGE, sqlState } from '../errors.js';
import { Prisma } from '../generated/client.js';
import type { DirtySignal } from '../indexing/dirty.js';
import { pairs, type Transaction } from '../statements.js';
import { visibleTo } from '../viewer-conditions.js';
import { recordMistakes, type StudentAttempt } from './attempt-occurrences.js';
import { ATTEMPT_COLUMNS, derive, findReviews, type StudentCard } from './review-states.js';

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

/** Rows that are read at a time, and students whose answers are counted at a time: Prisma takes some 10 µs a row. */
const PAGE = 2_500;
const OWNERS = 10;

export class PostgresAttemptStore implements AttemptStore {
  constructor(
    private readonly database: Database,
    private readonly dirty: DirtySignal,
  ) {}

  async record(
    viewer: Viewer,
    byOwner: ReadonlyMap<string, readonly AttemptToRecord[]>,
  ): Promise<ReadonlyMap<string, readonly AttemptResult[]>> {
    const owners = [...byOwner.keys()];
    const allowed = changeableOwner(viewer);
    if (allowed !== undefined && owners.some((ownerId) => ownerId !== allowed)) {
      throw new ForbiddenError('only admins may record attempts of other students');
    }
    const { results, changedCards } = await this.database.as(viewer).transaction(async (tx) => {
      await lockOwners(tx, viewer.tenantId, owners);
      const { cards, placed } = await findAttemptedCards(tx, viewer, [...byOwner.values()].flat());
      const ofOwners = [...byOwner].map(([ownerId, given]) => {
        return [ownerId, given.map((attempt): StudentAttempt => ({ ...placed(attempt), ownerId }))] as const;
      });
      const attempts = ofOwners.flatMap(([, own]) => own);
      const outcomes = await insert(tx, viewer, attempts, cards);
      const recorded = attempts.filter((attempt) => outcomes.get(attempt) === 'RECORDED');
      await derive(tx, viewer, distinct(recorded.flatMap(reviewedCards)));
      const changedCards = await recordMistakes(tx, viewer, recorded);
      const states = await findReviews(tx, viewer, distinct(attempts));
      const resultOf = (attempt: StudentAttempt): AttemptResult => ({
        key: attempt.key,
        cardId: attempt.cardId,
        outcome: outcomes.get(attempt) as AttemptOutcome,
        review: states.get(attempt.ownerId)?.get(attempt.cardId) ?? null,
      });
      return { results: new Map(ofOwners.map(([ownerId, own]) => [ownerId, own.map(resultOf)])), changedCards };
    });
    if (changedCards > 0) this.dirty.notify();
    return results;
  }

  async log(
    viewer: Viewer,
    which: AttemptSelection,
    { after, before, correct, limit }: LogRange,
    signal?: AbortSignal,
  ): Promise<readonly OwnedAttempt[]> {
    const chosen =
      'ownerIds' in which ? { ownerId: { in: [...which.ownerIds] } } : { cardId: { in: [...which.cardIds] } };
    const at = timesIn({ after, before });
    const wanted = [visibleTo(viewer), chosen, { at, ...(correct !== undefined && { correct }) }];
    return this.database.as(viewer, signal).transaction(async ({ prisma }) => {
      const rows: OwnedAttempt[] = [];
      for (;;) {
        const last = rows.at(-1);
        const take = Math.min(PAGE, limit - rows.length);
        const page = await prisma.attempt.findMany({
          where: { AND: last === undefined ? wanted : [...wanted, ...isBefore(last)] },
          select: { ...LOGGED, ownerId: true },
          orderBy: [{ at: 'desc' }, { key: 'desc' }, { ownerId: 'desc' }],
          take,
        });
        rows.push(...page);
        if (page.length < take || rows.length === limit) return rows.reverse();
      }
    });
  }

  /** Counted in the database: a class makes far more right attempts than there are pairs of a student and a card. */
  async rightAnswers(
    viewer: Viewer,
    ownerIds: readonly string[],
    range: Pick<LogRange, 'after' | 'before'>,
    signal?: AbortSignal,
  ): Promise<readonly RightAnswers[]> {
    const of = (owners: readonly string[]) => ({ ownerId: { in: [...owners] }, at: timesIn(range), correct: true });
    return this.database.as(viewer, signal).transaction(async ({ prisma }) => {
      const counted: RightAnswers[][] = [];
      for (const owners of batches(ownerIds, OWNERS)) {
        const rows = await prisma.attempt.groupBy({
          by: ['ownerId', 'cardId'],
          where: { AND: [visibleTo(viewer), of(owners)] },
          _count: { _all: true },
        });
        counted.push(rows.map(({ _count, ...pair }) => ({ ...pair, count: _count._all })));
      }
      return counted.flat();
    });
  }
}

/** Before an attempt in the order of the log; the first condition is one for the index. */
function isBefore({ at, key, ownerId }: OwnedAttempt) {
  const before = [{ at: { lt: at } }, { key: { lt: key } }, { key, ownerId: { lt: ownerId } }];
  return [{ at: { lte: at } }, { OR: before }];
}

function timesIn({ after, before }: Pick<LogRange, 'after' | 'before'>) {
  return { ...(after && { gte: after }), ...(before && { lt: before }) };
}

function reviewedCards({ ownerId, ...attempt }: StudentAttempt): readonly StudentCard[] {
  return reviewedBy(attempt).map((cardId) => ({ ownerId, cardId }));
}

function distinct(cards: readonly StudentCard[]): readonly StudentCard[] {
  return [...groupedBy(cards, ({ ownerId }) => ownerId)].flatMap(([ownerId, own]) =>
    [...new Set(own.map(({ cardId }) => cardId))].map((cardId) => ({ ownerId, cardId })),
  );
}

/**
 * The ids of the cards of the attempts that the viewer may see, and each attempt at the card that is there: attempts
 * may arrive late, or again, and become what those have become that arrived in time. An attempt at a card that was
 * merged is one at the remaining card; one at a deleted sibling, at the card whose review it is; and the review of a
 * deleted card is none.
 */
async function findAttemptedCards(tx: Transaction, viewer: Viewer, attempts: readonly AttemptToRecord[]) {
  const wanted = [...new Set(attempts.flatMap(reviewedBy))];
  const where = { ...visibleTo(viewer), id: { in: wanted } };
  const seen = await tx.prisma.card.findMany({ where, select: { id: true } });
  const cards = new Set(seen.map(({ id }) => id));
  const gone = wanted.filter((id) => !cards.has(id));
  const survivors = gone.length === 0 ? new Map<string, string>() : await findSurvivors(tx, viewer, gone);
  for (const survivor of survivors.values()) cards.add(survivor);
  const deleted = await findDeleted(
    tx,
    viewer,
    gone.filter((id) => !survivors.has(id)),
  );
  const remaining = (id: string): string => survivors.get(id) ?? id;
  const placed = (attempt: AttemptToRecord): AttemptToRecord => {
    const cardId = remaining(attempt.cardId);
    const reviewOf = attempt.reviewOf === null ? null : remaining(attempt.reviewOf);
    if (reviewOf !== null && deleted.has(cardId) && cards.has(reviewOf)) {
      // Its occurrence would have been one of the deleted card.
      return { ...attempt, cardId: reviewOf, reviewOf, recordOccurrence: false };
    }
    const isReview = reviewOf !== null && !(deleted.has(reviewOf) && cards.has(cardId));
    return { ...attempt, cardId, reviewOf: isReview ? reviewOf : null };
  };
  return { cards, placed };
}

/** Those of these ids that were of cards that the viewer saw and that were deleted. */
async function findDeleted({ prisma }: Transaction, viewer: Viewer, ids: readonly string[]) {
  if (ids.length === 0) return new Set<string>();
  const where = { ...visibleTo(viewer), cardId: { in: [...ids] }, deleted: true };
  const rows = await prisma.cardChange.findMany({ where, select: { cardId: true } });
  return new Set(rows.map(({ cardId }) => cardId));
}

type AttemptId = Pick<StudentAttempt, 'ownerId' | 'key'>;

/** Inserts the new attempts at these cards; returns the outcome of each. SQL: as {@link derive}. */
async function insert(
  { query }: Transaction,
  { tenantId }: Viewer,
  attempts: readonly StudentAttempt[],
  cards: ReadonlySet<string>,
): Promise<ReadonlyMap<StudentAttempt, AttemptOutcome>> {
  const isPossible = (attempt: AttemptToRecord): boolean => reviewedBy(attempt).every((id) => cards.has(id));
  const possible = attempts.filter(isPossible);
  const rows = possible.map((attempt) => ({ ownerId: attempt.ownerId, ...columnsOf(attempt) }));
  const inserted = await query<AttemptId>(Prisma.sql`
    INSERT INTO attempt (tenant_id, owner_id, key, card_id, review_of, at, correct, hints, duration_ms, changed_answer, answer)
    SELECT ${tenantId}, a.* FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS a ("ownerId" text, key text,
      "cardId" text, "reviewOf" text, at timestamptz, correct boolean, hints int, "durationMs" int, "changedAnswer" boolean,
      answer text)
    ON CONFLICT DO NOTHING RETURNING owner_id AS "ownerId", key`).catch((thrown: unknown) => {
    // The policy requires that the card is there: it was deleted after it was read.
    throw sqlState(thrown) === INSUFFICIENT_PRIVILEGE ? collision(thrown) : thrown;
  });
  const idOf = ({ ownerId, key }: AttemptId): string => JSON.stringify([ownerId, key]);
  const isNew = new Set(inserted.map(idOf));
  const stored = await query<StoredAttempt & AttemptId>(Prisma.sql`
    SELECT a.owner_id AS "ownerId", ${ATTEMPT_COLUMNS}, a.answer
    FROM ${pairs(possible.map(({ ownerId, key }) => [ownerId, key]))} AS given (owner_id, key)
    CROSS JOIN LATERAL (SELECT * FROM attempt
      WHERE tenant_id = ${tenantId} AND owner_id = given.owner_id AND key = given.key LIMIT 1) a`);
  const byId = new Map(stored.map((row) => [idOf(row), row]));
  const outcomeOf = (attempt: StudentAttempt): AttemptOutcome => {
    const id = idOf(attempt);
    if (!isPossible(attempt)) return 'CARD_NOT_FOUND';
    const known = byId.get(id);
    if (known === undefined) throw new Error('an attempt was neither inserted nor there');
    if (!isSame(attempt, known)) return 'CONFLICT';
    // Of two attempts with one key in a request, the first one is new.
    return isNew.delete(id) ? 'RECORDED' : 'REPEATED';
  };
  return new Map(attempts.map((attempt) => [attempt, outcomeOf(attempt)]));
}

function columnsOf({ ownerId: _, recordOccurrence: _o, isDated: _d, ...attempt }: AttemptToRecord): StoredAttempt {
  return attempt;
}

function isSame(given: AttemptToRecord, stored: StoredAttempt): boolean {
  const { at, ...columns } = columnsOf(given);
  const isThen = !given.isDated || at.getTime() === stored.at.getTime();
  return isThen && Object.entries(columns).every(([column, value]) => stored[column as keyof StoredAttempt] === value);
}
