import type { DoneCards, DueList, DueRequest, ReviewStore } from '../../src/domain/ports/practice.js';
import { type ReviewState, reviewedBy } from '../../src/domain/practice.js';
import { type Viewer, visibleOwner } from '../../src/domain/viewer.js';
import { matches } from '../cards/filters.js';
import type { Database } from '../client.js';
import { Prisma } from '../generated/client.js';
import { owned, ownedBy } from '../viewer-conditions.js';
import { findReviews, REVIEW_COLUMNS } from './review-states.js';

interface DueReview extends ReviewState {
  readonly cardId: string;
  readonly dueReviews: number;
  readonly place: bigint;
}

export class PostgresReviewStore implements ReviewStore {
  constructor(private readonly database: Database) {}

  /** SQL: a student waits for it whenever the app opens, and it uses the filter conditions of searches. */
  async due(
    viewer: Viewer,
    { filter, at, dueBefore, maxCards, practisedSince, maxNew }: DueRequest,
    signal?: AbortSignal,
  ): Promise<DueList> {
    const own = owned(viewer, 'r');
    const database = this.database.as(viewer, signal);
    // Every review has a card, so cards are only read if there is a filter, or if the viewer may not see all of them: a
    // student may have been examined on the cards of others.
    const isFiltered = Object.keys(filter).length > 0 || visibleOwner(viewer) !== undefined;
    const reviews = await database.query<DueReview>(Prisma.sql`
      SELECT * FROM (SELECT ${REVIEW_COLUMNS},
        (count(*) OVER ())::int AS "dueReviews",
        row_number() OVER (PARTITION BY r.last_review < ${practisedSince} ORDER BY r.due, r.card_id) AS place
      FROM card_review r WHERE ${own} AND r.due < ${dueBefore} AND (r.due <= ${at} OR r.state = 'REVIEW')
        AND (NOT ${isFiltered}::boolean OR EXISTS (
          SELECT FROM card c WHERE c.tenant_id = r.tenant_id AND c.id = r.card_id AND ${matches(viewer, filter)})))
      listed WHERE "lastReview" >= ${practisedSince} OR place <= ${maxCards} ORDER BY due, "cardId"`);
    const first = reviews.filter(({ lastReview }) => lastReview < practisedSince);
    const wanted = Math.min(maxNew, maxCards - first.length);
    const fresh =
      wanted === 0
        ? []
        : await database.query<{ cardId: string; createdAt: Date }>(Prisma.sql`
            SELECT c.id AS "cardId", c.created_at AS "createdAt" FROM card c
            WHERE ${matches(viewer, filter)} AND ${owned(viewer, 'c')} AND NOT c.attempted_by_owner
            ORDER BY c.created_at DESC, c.id DESC LIMIT ${wanted}`);
    return {
      entries: [
        ...reviews.map(({ cardId, dueReviews: _, place: _p, ...review }) => ({ cardId, review })),
        ...fresh.map((card) => ({ ...card, review: null })),
      ],
      dueReviews: reviews[0]?.dueReviews ?? 0,
    };
  }

  async done(viewer: Viewer, from: Date, to: Date, signal?: AbortSignal): Promise<DoneCards> {
    return this.database.as(viewer, signal).transaction(async ({ prisma: { attempt } }) => {
      const at = { gte: from, lt: to };
      const rows = await attempt.groupBy({ by: ['cardId', 'reviewOf'], where: { ...ownedBy(viewer), at } });
      const cardIds = [...new Set(rows.map(({ cardId }) => cardId))];
      if (cardIds.length === 0) return { cardIds, served: 0, firstTime: 0 };
      const dueOf = ({ cardId, reviewOf }: (typeof rows)[number]) => (reviewOf === cardId ? null : reviewOf);
      const siblings = new Set(rows.filter((row) => dueOf(row) !== null).map(({ cardId }) => cardId));
      const served = [...new Set(rows.flatMap((row) => dueOf(row) ?? (siblings.has(row.cardId) ? [] : row.cardId)))];
      const within = { in: served };
      const before = await attempt.groupBy({
        by: ['cardId', 'reviewOf'],
        where: { ...ownedBy(viewer), at: { lt: from }, OR: [{ cardId: within }, { reviewOf: within }] },
      });
      const known = new Set(before.flatMap(reviewedBy));
      return { cardIds, served: served.length, firstTime: served.filter((id) => !known.has(id)).length };
    });
  }

  /** SQL: counts up to 50,000 rows in the database. The caller computes the bounds of the days from the time zone. */
  async forecast(viewer: Viewer, bounds: readonly Date[], signal?: AbortSignal): Promise<readonly number[]> {
    const rows = await this.database.as(viewer, signal).query<{ day: number; reviews: number }>(Prisma.sql`
      SELECT width_bucket(r.due, ${bounds}::timestamptz[]) AS day, count(*)::int AS reviews FROM card_review r
      WHERE ${owned(viewer, 'r')} AND r.due < ${bounds.at(-1)} AND (${visibleOwner(viewer) === undefined}::boolean
        OR EXISTS (SELECT FROM card c WHERE c.tenant_id = r.tenant_id AND c.id = r.card_id AND ${matches(viewer, {})}))
      GROUP BY 1`);
    const counts = new Map(rows.map(({ day, reviews }) => [day, reviews]));
    return bounds.map((_, day) => counts.get(day) ?? 0);
  }

  async states(
    viewer: Viewer,
    cardIds: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, ReviewState>> {
    const { ownerId } = viewer;
    const own = cardIds.map((cardId) => ({ ownerId, cardId }));
    return (await findReviews(this.database.as(viewer, signal), viewer, own)).get(ownerId) ?? new Map();
  }
}
