import type { Card } from '../../src/domain/card.js';
import { BadInputError } from '../../src/domain/errors.js';
import { filterFacts, listCursor, listDigest, type Place, placeInList } from '../../src/domain/page.js';
import { cardId } from '../../src/domain/parse/scalars.js';
import { type CardOrder, NEWEST_FIRST } from '../../src/domain/ports/cards.js';
import type { CardFilter } from '../../src/domain/search.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { Prisma } from '../generated/client.js';
import { columnOf } from './card-columns.js';

/** A position in the list of cards: right after the one with this id. */
export interface CardPlace {
  /** The sort value: a time or a difficulty. */
  readonly value: Date | number;
  readonly id: string;
}

export interface CardList {
  readonly viewer: Viewer;
  readonly filter: CardFilter & { readonly updatedAfter?: Date | undefined };
  readonly order: CardOrder;
}

const KEYS = { CREATED: 'createdAt', UPDATED: 'updatedAt', OCCURRED: 'occurredAt', DIFFICULTY: 'difficulty' } as const;

/** The years 1900 to 9999; larger than any difficulty. PostgreSQL refuses values out of range. */
const EARLIEST_MS = Date.UTC(1900, 0);
const LATEST_MS = Date.UTC(10_000, 0);
const MAX_DIFFICULTY = 1_000;

/** The cursor of a position, opaque to clients. */
export function cardCursor(list: CardList, card: Card): string {
  return listCursor([Number(card[KEYS[list.order.field]]), card.id], digest(list));
}

/** BadInputError (`after`) for a cursor that is malformed or of another list. */
export function placeOfCard(list: CardList, cursor: string): CardPlace {
  const [value, id] = placeInList(cursor, isPlace, digest(list));
  const isTime = list.order.field !== 'DIFFICULTY';
  const [least, most] = isTime ? [EARLIEST_MS, LATEST_MS] : [0, MAX_DIFFICULTY];
  if (value < least || value > most) throw new BadInputError('after', 'is not a cursor of this list');
  return { value: isTime ? new Date(value) : value, id };
}

function isPlace(values: Place): values is readonly [number, string] {
  const [value, id] = values;
  return values.length === 2 && Number.isSafeInteger(value) && cardId.safeParse(id).success;
}

function digest({ viewer, filter, order }: CardList): string {
  const isDefault = order.field === NEWEST_FIRST.field && order.direction === NEWEST_FIRST.direction;
  return listDigest(viewer, [filterFacts(filter), ...(isDefault ? [] : [order.field, order.direction])]);
}

/** For ORDER BY, on `card c`. */
export function ordered({ field, direction }: CardOrder): Prisma.Sql {
  return Prisma.raw(`c.${columnOf(KEYS[field])} ${direction}, c.id ${direction}`);
}

/** The condition on `card c` that it is after this place. */
export function isAfter({ field, direction }: CardOrder, { value, id }: CardPlace): Prisma.Sql {
  const start = Prisma.raw(`(c.${columnOf(KEYS[field])}, c.id) ${direction === 'ASC' ? '>' : '<'}`);
  const type = Prisma.raw(field === 'DIFFICULTY' ? 'int' : 'timestamptz');
  return Prisma.sql`${start} (${value}::${type}, ${id})`;
}
