import { batches } from '../../src/domain/async.js';
import type { Owner } from '../../src/domain/duplicates.js';
import { groupedBy } from '../../src/domain/grouped.js';
import {
  type Attempt,
  DEFAULT_PRACTICE_SETTINGS,
  type PracticeSettings,
  type ReviewState,
  reviewedBy,
} from '../../src/domain/practice.js';
import { inTurns } from '../../src/domain/steps.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { replay } from '../../src/fsrs/schedule.js';
import { Prisma } from '../generated/client.js';
import { pairs, type Queries, type Transaction } from '../statements.js';
import { ownedBy, type Scope, visible } from '../viewer-conditions.js';

/**
 * The latest attempts at a card by one student, of which its review state is computed: each new attempt replays them.
 * Of 501 to 1,500 attempts with mistakes among them, the last 500 gave the stability of all to seven digits (by hand).
 */
const MAX_REPLAYED = 500;

/** Cards whose attempts are read at a time: Prisma took .4 s of the event loop for the 150,000 of 300 cards. */
const READ_TOGETHER = 40;

/** Review states in one statement, because the number of its parameters is limited. */
const SLICE = 1_000;

/** Attempted cards that are read at a time: Prisma took .2 s of the event loop for 34,000. */
const PAGE = 2_500;

/** The columns of `attempt a` under the names of {@link Attempt}. */
export const ATTEMPT_COLUMNS = Prisma.sql`
  a.key, a.card_id AS "cardId", a.review_of AS "reviewOf", a.at, a.correct, a.hints, a.duration_ms AS "durationMs",
  a.changed_answer AS "changedAnswer"`;

/** The columns of `card_review r` under the names of {@link ReviewState}, with the card. */
export const REVIEW_COLUMNS = Prisma.sql`
  r.card_id AS "cardId", r.due, r.stability, r.difficulty, r.scheduled_days AS "scheduledDays",
  r.learning_steps AS "learningSteps", r.reps, r.lapses, r.state, r.last_review AS "lastReview"`;

/** A student, and a card that they have attempted. */
export interface StudentCard {
  readonly ownerId: string;
  readonly cardId: string;
}

/** Recomputes the review states of all cards of this selection that a student has attempted. */
export async function deriveAll(tx: Transaction, student: Owner, selection: Prisma.CardWhereInput): Promise<void> {
  const attempted = new Set<string>();
  for (let after: Prisma.AttemptWhereInput = {}; ; ) {
    const rows = await tx.prisma.attempt.groupBy({
      by: ['cardId', 'reviewOf'],
      where: { AND: [ownedBy(student), after] },
      orderBy: [{ cardId: 'asc' }, { reviewOf: 'asc' }],
      take: PAGE,
    });
    for (const cardId of rows.flatMap(reviewedBy)) attempted.add(cardId);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) break;
    after = isAfter(last);
  }
  for (const ids of batches([...attempted], SLICE)) {
    const cards = await tx.prisma.card.findMany({
      where: { ...selection, id: { in: [...ids] } },
      select: { id: true },
    });
    const own = cards.map(({ id: cardId }) => ({ ownerId: student.ownerId, cardId }));
    await derive(tx, student, own);
  }
}

/** After a pair in their order, in which those without a review are the last of a card. */
function isAfter({ cardId, reviewOf }: Pick<Attempt, 'cardId' | 'reviewOf'>): Prisma.AttemptWhereInput {
  const ofCard = reviewOf === null ? [] : [{ cardId, OR: [{ reviewOf: { gt: reviewOf } }, { reviewOf: null }] }];
  return { OR: [{ cardId: { gt: cardId } }, ...ofCard] };
}

/** Recomputes the review states of these cards, each once, from the log: a few statements for a thousand of them. */
export async function derive(
  tx: Transaction,
  tenant: Pick<Owner, 'tenantId'>,
  cards: readonly StudentCard[],
): Promise<void> {
  for (const slice of batches(cards, SLICE)) await deriveSlice(tx, tenant.tenantId, slice);
}

/**
 * SQL: Prisma cannot select by pairs of owner and card, and blocks the event loop for 0.2 s where it inserts 500 rows.
 * Each LIMIT makes PostgreSQL look up one pair after the other: without statistics, as after an import, it compares all
 * rows of the school with all pairs, which took 0.5 s for 500. Attempts at the same time are ordered by key, so that
 * the order does not depend on when they were recorded.
 */
async function deriveSlice(tx: Transaction, tenantId: string, cards: readonly StudentCard[]): Promise<void> {
  const owners = [...new Set(cards.map(({ ownerId }) => ownerId))];
  const settings = await findSettings(tx, { tenantId }, owners);
  const weights = await usedWeights(tx, { tenantId }, owners);
  const data: (StudentCard & ReviewState)[] = [];
  for (const some of batches(cards, READ_TOGETHER)) {
    const log = await tx.query<Attempt & { readonly place: number }>(Prisma.sql`
      SELECT given.place::int AS place, ${ATTEMPT_COLUMNS}
      FROM ${pairsOf(some)} WITH ORDINALITY AS given (owner_id, card_id, place) CROSS JOIN LATERAL (
        SELECT * FROM attempt
        WHERE tenant_id = ${tenantId} AND owner_id = given.owner_id AND card_id = given.card_id
        UNION ALL
        SELECT * FROM attempt
        WHERE tenant_id = ${tenantId} AND owner_id = given.owner_id AND review_of = given.card_id
          AND card_id <> given.card_id
        ORDER BY at DESC, key DESC LIMIT ${MAX_REPLAYED}) a
      ORDER BY given.place, a.at, a.key`);
    await inTurns(
      groupedBy(log, ({ place }) => place),
      ([place, attempts]) => {
        const { ownerId, cardId } = some[place - 1] as StudentCard;
        const own = settings.get(ownerId) ?? DEFAULT_PRACTICE_SETTINGS;
        data.push({ ownerId, cardId, ...replay(attempts, own, weights.get(ownerId) ?? null) });
      },
    );
  }
  await tx.execute(Prisma.sql`
    DELETE FROM card_review WHERE ctid = ANY(ARRAY(
      SELECT r.ctid FROM ${reviewsOf(tenantId, cards)}))`);
  // Also sets the flag of a card, with its owner's first attempt. PostgreSQL looks the cards up by the list of ids.
  await tx.execute(Prisma.sql`
    WITH derived AS (
      INSERT INTO card_review (tenant_id, owner_id, card_id, due, stability, difficulty, scheduled_days, learning_steps,
        reps, lapses, state, last_review)
      SELECT ${tenantId}, r.* FROM jsonb_to_recordset(${JSON.stringify(data)}::jsonb) AS r ("ownerId" text, "cardId" text,
        due timestamptz, stability float8, difficulty float8, "scheduledDays" int, "learningSteps" int, reps int,
        lapses int, state text, "lastReview" timestamptz)
      RETURNING owner_id, card_id
    )
    UPDATE card c SET attempted_by_owner = true FROM derived d
    WHERE c.tenant_id = ${tenantId} AND c.id = ANY(${data.map(({ cardId }) => cardId)}::text[])
      AND c.id = d.card_id AND c.owner_id = d.owner_id AND NOT c.attempted_by_owner`);
}

/** `card_review r` of these cards, for FROM. */
function reviewsOf(tenantId: string, cards: readonly StudentCard[]): Prisma.Sql {
  return Prisma.sql`${pairsOf(cards)} AS given (owner_id, card_id) CROSS JOIN LATERAL (
    SELECT *, ctid FROM card_review
    WHERE tenant_id = ${tenantId} AND owner_id = given.owner_id AND card_id = given.card_id LIMIT 1) r`;
}

/** The review states that the viewer may see, by owner and card. SQL: as {@link derive}. */
export async function findReviews(
  tx: Queries,
  viewer: Viewer,
  cards: readonly StudentCard[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, ReviewState>>> {
  const rows = await tx.query<ReviewState & StudentCard>(Prisma.sql`
    SELECT r.owner_id AS "ownerId", ${REVIEW_COLUMNS} FROM ${reviewsOf(viewer.tenantId, cards)} WHERE ${visible(viewer, 'r')}`);
  const states = new Map<string, Map<string, ReviewState>>();
  for (const { ownerId, cardId, ...state } of rows) {
    const own = states.get(ownerId) ?? new Map<string, ReviewState>();
    states.set(ownerId, own.set(cardId, state));
  }
  return states;
}

function pairsOf(cards: readonly StudentCard[]): Prisma.Sql {
  return pairs(cards.map(({ ownerId, cardId }) => [ownerId, cardId]));
}

const SETTINGS = { desiredRetention: true, dailyLimit: true, newPerDay: true, timeZone: true } as const;

/** The settings of these students, by owner id; one who has none is left out. */
export async function findSettings(
  { prisma }: Transaction,
  scope: Scope,
  ownerIds: readonly string[],
): Promise<ReadonlyMap<string, PracticeSettings>> {
  const rows = await prisma.practiceSettings.findMany({
    where: { AND: [scope, { ownerId: { in: [...ownerIds] } }] },
    select: { ...SETTINGS, ownerId: true },
  });
  return new Map(rows.map(({ ownerId, ...settings }) => [ownerId, settings]));
}

/** The FSRS parameters that were fitted to these students' attempts and are used; for others the defaults are. */
export async function usedWeights(
  { prisma }: Transaction,
  scope: Scope,
  ownerIds: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const rows = await prisma.fittedSchedule.findMany({
    where: { AND: [scope, { ownerId: { in: [...ownerIds] }, isUsed: true }] },
    select: { ownerId: true, weights: true },
  });
  return new Map(rows.map(({ ownerId, weights }) => [ownerId, weights]));
}
