import type { CardOrder } from '../src/domain/ports/cards.js';
import type { Place } from './cursor.js';
import { Prisma } from './generated/client.js';

const COLUMNS = {
  CREATED: Prisma.raw('c.created_at'),
  UPDATED: Prisma.raw('c.updated_at'),
  OCCURRED: Prisma.raw('c.occurred_at'),
  DIFFICULTY: Prisma.raw('c.difficulty'),
} as const satisfies Readonly<Record<CardOrder['field'], Prisma.Sql>>;

/** What follows ORDER BY, on `card c`. */
export function ordered({ field, direction }: CardOrder): Prisma.Sql {
  const way = Prisma.raw(direction);
  return Prisma.sql`${COLUMNS[field]} ${way}, c.id ${way}`;
}

/** The condition on `card c` that it comes after this place. */
export function isAfter({ field, direction }: CardOrder, { value, id }: Place): Prisma.Sql {
  const type = Prisma.raw(field === 'DIFFICULTY' ? 'int' : 'timestamptz');
  const sign = Prisma.raw(direction === 'ASC' ? '>' : '<');
  return Prisma.sql`(${COLUMNS[field]}, c.id) ${sign} (${value}::${type}, ${id})`;
}
