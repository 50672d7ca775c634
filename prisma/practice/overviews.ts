import type { AttemptSelection, OverviewStore, StudentGroup } from '../../src/domain/ports/practice.js';
import type { LabelledCard } from '../../src/domain/practice.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { LABEL_COLUMNS } from '../cards/card-rows.js';
import type { Database } from '../client.js';
import { Prisma } from '../generated/client.js';
import { deleteAny, oneOf } from '../statements.js';
import { tenantOf, visible } from '../viewer-conditions.js';

interface CardRow extends Omit<LabelledCard, 'mistakes'> {
  /** Milliseconds since 1970, and error types. */
  readonly mistakes: readonly (readonly [atMs: number, errorTypes: readonly string[]])[];
}

export class PostgresOverviewStore implements OverviewStore {
  constructor(private readonly database: Database) {}

  /** SQL: thousands of cards with their labels and occurrences in one statement, without their texts. */
  async cards(
    viewer: Viewer,
    which: AttemptSelection,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly LabelledCard[]> {
    const chosen = 'ownerIds' in which ? oneOf('c.owner_id')(which.ownerIds) : oneOf('c.id')(which.cardIds);
    const rows = await this.database.as(viewer, signal).query<CardRow>(Prisma.sql`
      SELECT c.id, c.owner_id AS "ownerId", c.difficulty, c.question_key AS "questionKey", ${LABEL_COLUMNS},
        (SELECT coalesce(jsonb_agg(jsonb_build_array(extract(epoch FROM o.occurred_at) * 1000, o.error_types) ORDER BY o.number),
            '[]') FROM card_occurrence o WHERE o.tenant_id = c.tenant_id AND o.card_id = c.id) AS mistakes
      FROM card c WHERE ${visible(viewer)} AND ${chosen} ORDER BY c.created_at DESC, c.id LIMIT ${limit}`);
    return rows.map(({ mistakes, ...card }) => ({
      ...card,
      mistakes: mistakes.map(([atMs, errorTypes]) => ({ at: new Date(atMs), errorTypes })),
    }));
  }

  groups(viewer: Viewer): Promise<readonly StudentGroup[]> {
    return this.#find(viewer, {});
  }

  async group(viewer: Viewer, name: string): Promise<StudentGroup | null> {
    const [found] = await this.#find(viewer, { name });
    return found ?? null;
  }

  async saveGroup(viewer: Viewer, { name, owners: given }: StudentGroup): Promise<void> {
    const { tenantId } = viewer;
    const owners = { set: [...given] };
    await this.database.as(viewer).transaction((tx) =>
      tx.prisma.studentGroup.upsert({
        where: { tenantId_name: { tenantId, name } },
        create: { tenantId, name, owners },
        update: { owners, updatedAt: tx.now },
      }),
    );
  }

  deleteGroup(viewer: Viewer, name: string): Promise<boolean> {
    const where = { ...tenantOf(viewer), name };
    return deleteAny(this.database.as(viewer), (prisma) => prisma.studentGroup.deleteMany({ where }));
  }

  #find(viewer: Viewer, named: { readonly name?: string }): Promise<readonly StudentGroup[]> {
    return this.database.as(viewer).transaction(({ prisma }) =>
      prisma.studentGroup.findMany({
        where: { ...tenantOf(viewer), ...named },
        select: { name: true, owners: true },
        orderBy: { name: 'asc' },
      }),
    );
  }
}
