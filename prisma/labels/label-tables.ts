import { type LabelKind, labelKey } from '../../src/domain/labels.js';
import type { DescribedLabel } from '../../src/domain/ports/labels.js';
import type { Viewer } from '../../src/domain/viewer.js';
import type { Transaction } from '../statements.js';

export interface StoredLabel {
  readonly id: bigint;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly parentId: bigint | null;
}

/** Labels that Prisma reads in one turn of the event loop: some 10 µs for each. */
const DESCRIBED_A_TIME = 2_000;

const STORED = { id: true, name: true, aliases: true, parentId: true } as const;

export function labelTable(
  { prisma }: Pick<Transaction, 'prisma'>,
  { tenantId }: Pick<Viewer, 'tenantId'>,
  kind: LabelKind,
) {
  // The two tables have the same columns, but Prisma's types have no common interface.
  const table = (kind === 'topicTags' ? prisma.topicTag : prisma.errorType) as typeof prisma.topicTag;
  const byId = (id: bigint | null): Promise<StoredLabel | null> =>
    id === null ? Promise.resolve(null) : table.findFirst({ where: { tenantId, id }, select: STORED });
  // The first condition is that of the index.
  const byAlias = (keys: readonly string[]): Promise<StoredLabel | null> =>
    table.findFirst({
      where: { tenantId, NOT: { aliasKeys: { isEmpty: true } }, aliasKeys: { hasSome: [...keys] } },
      select: STORED,
    });
  return {
    byAlias,
    /** By name, otherwise by an alias. */
    async named(name: string): Promise<StoredLabel | null> {
      const key = labelKey(name);
      return (await table.findFirst({ where: { tenantId, key }, select: STORED })) ?? byAlias([key]);
    },
    create(name: string): Promise<StoredLabel> {
      return table.create({ data: { tenantId, name, key: labelKey(name) }, select: STORED });
    },
    async update(
      id: bigint,
      { name, aliases, parentId }: { name?: string; aliases?: readonly string[]; parentId?: bigint | null },
    ): Promise<void> {
      await table.updateMany({
        where: { tenantId, id },
        data: {
          ...(name !== undefined && { name, key: labelKey(name) }),
          ...(aliases !== undefined && { aliases: { set: [...aliases] }, aliasKeys: { set: aliases.map(labelKey) } }),
          ...(parentId !== undefined && { parentId }),
        },
      });
    },
    /** Nearest first. */
    async ancestors({ parentId }: StoredLabel): Promise<readonly StoredLabel[]> {
      const found: StoredLabel[] = [];
      for (let next = await byId(parentId); next !== null; next = await byId(next.parentId)) found.push(next);
      return found;
    },
    /** Those with aliases or a place in the tree, in the order of their creation; some of them at a time. */
    async described(limit: number): Promise<readonly DescribedLabel[]> {
      const isDescribed = [{ aliases: { isEmpty: false } }, { parentId: { not: null } }];
      const select = { id: true, name: true, aliases: true, parent: { select: { name: true } } } as const;
      const found: DescribedLabel[] = [];
      for (let after = 0n, isLast = false; !isLast; ) {
        const where = { tenantId, id: { gt: after }, OR: isDescribed };
        const take = Math.min(DESCRIBED_A_TIME, limit - found.length);
        const rows = await table.findMany({ where, select, orderBy: { id: 'asc' }, take });
        for (const { name, aliases, parent } of rows) found.push({ kind, name, aliases, parent: parent?.name ?? null });
        after = rows.at(-1)?.id ?? after;
        isLast = rows.length < take || found.length === limit;
      }
      return found;
    },
    /** Of the owner's cards. */
    countOf(ownerId: string): Promise<number> {
      return table.count({ where: { tenantId, cards: { some: { card: { ownerId } } } } });
    },
    childCount(id: bigint): Promise<number> {
      return table.count({ where: { tenantId, parentId: id } });
    },
    async moveChildren(from: readonly bigint[], into: bigint): Promise<void> {
      await table.updateMany({ where: { tenantId, parentId: { in: [...from] } }, data: { parentId: into } });
    },
    async delete(ids: readonly bigint[]): Promise<void> {
      await table.deleteMany({ where: { tenantId, id: { in: [...ids] } } });
    },
  };
}
