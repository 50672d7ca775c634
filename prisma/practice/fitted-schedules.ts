import type { Owner } from '../../src/domain/duplicates.js';
import type { FittedScheduleStore, LogSize } from '../../src/domain/ports/practice.js';
import type { FittedSchedule } from '../../src/domain/practice.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { lockOwners } from '../cards/card-rows.js';
import type { Database } from '../client.js';
import { Prisma } from '../generated/client.js';
import { only, type Transaction } from '../statements.js';
import { ownedBy, visibleTo } from '../viewer-conditions.js';
import { deriveAll, usedWeights } from './review-states.js';

export class PostgresFittedSchedules implements FittedScheduleStore {
  constructor(private readonly database: Database) {}

  find(viewer: Viewer, { ownerId }: Owner): Promise<FittedSchedule | null> {
    return this.database.as(viewer).transaction(({ prisma }) =>
      prisma.fittedSchedule.findFirst({
        where: { AND: [visibleTo(viewer), { ownerId }] },
        omit: { tenantId: true, ownerId: true },
      }),
    );
  }

  weights(viewer: Viewer, ownerIds: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>> {
    return this.database.as(viewer).transaction((tx) => usedWeights(tx, visibleTo(viewer), ownerIds));
  }

  /** SQL: Prisma cannot count distinct days. */
  async logSize({ tenantId, ownerId }: Owner, offsetMs: number): Promise<LogSize> {
    const sizes = await this.database.query<LogSize>(Prisma.sql`
      WITH log AS (
        SELECT card_id, review_of, at FROM attempt WHERE tenant_id = ${tenantId} AND owner_id = ${ownerId})
      SELECT (SELECT count(*) FROM log)::int AS attempts,
        (count(DISTINCT (card_id, (at AT TIME ZONE 'UTC' + ${offsetMs} * interval '1 ms')::date)) - count(DISTINCT card_id))::int
          AS reviews
      FROM (
        SELECT card_id, at FROM log
        UNION ALL SELECT review_of, at FROM log WHERE review_of IS NOT NULL AND review_of <> card_id) reviewed`);
    return only(sizes);
  }

  save(student: Owner, { weights, ...fit }: Omit<FittedSchedule, 'fittedAt'>): Promise<void> {
    const { tenantId, ownerId } = student;
    const data = { tenantId, ownerId, ...fit, weights: [...weights] };
    return this.#change(student, async ({ prisma }) => {
      // An erased student's log may have been read before.
      if ((await prisma.attempt.findFirst({ where: ownedBy(student), select: { cardId: true } })) === null) return;
      await prisma.fittedSchedule.deleteMany({ where: ownedBy(student) });
      await prisma.fittedSchedule.create({ data });
    });
  }

  async students(limit: number): Promise<readonly Owner[]> {
    return this.database.run((prisma) =>
      prisma.fittedSchedule.findMany({
        where: { isUsed: true },
        select: { tenantId: true, ownerId: true },
        take: limit,
      }),
    );
  }

  remove(student: Owner): Promise<void> {
    return this.#change(student, (tx) => tx.prisma.fittedSchedule.deleteMany({ where: ownedBy(student) }));
  }

  /** The review states are those of the parameters that are in force: they change together. */
  #change(student: Owner, change: (tx: Transaction) => Promise<unknown>): Promise<void> {
    const { tenantId, ownerId } = student;
    const weights = async (tx: Transaction): Promise<string> =>
      String((await usedWeights(tx, { tenantId }, [ownerId])).get(ownerId));
    return this.database.transaction(async (tx) => {
      await lockOwners(tx, tenantId, [ownerId]);
      const before = await weights(tx);
      await change(tx);
      const after = await weights(tx);
      if (before !== after) await deriveAll(tx, student, { tenantId });
    });
  }
}
