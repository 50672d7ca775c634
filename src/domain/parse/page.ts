import { z } from 'zod';
import type { CardPageRequest } from '../ports/cards.js';
import { optional, parse, withoutUndefined } from './parse.js';
import { instant, whole } from './scalars.js';

/** A label of 400 characters of four bytes each, in base64. */
const MAX_CURSOR_CHARS = 2_200;

const after = optional(
  z
    .string()
    .regex(/^[\w-]+$/, 'is not a cursor of this list')
    .max(MAX_CURSOR_CHARS, 'is not a cursor of this list'),
  null,
);

const page = z.object({ first: whole(1, 100), after });

/**
 * Which page of a list a client wants; whether `after` is a cursor of that list is for the store to say. BadInputError.
 */
export function parsePage(args: { readonly first?: unknown; readonly after?: unknown }): {
  first: number;
  after: string | null;
} {
  return parse(page, args, '');
}

/** The cursor of a list whose pages have another size than `first`. BadInputError. */
export function parseAfter(given: unknown): string | null {
  return parse(after, given, 'after');
}

const order = z.object({
  field: z.enum(['CREATED', 'UPDATED', 'OCCURRED', 'DIFFICULTY']),
  direction: optional(z.enum(['ASC', 'DESC']), 'DESC'),
});
const cardList = z
  .object({ orderBy: optional(order, undefined), updatedAfter: optional(instant, undefined) })
  .transform(({ orderBy, updatedAfter }) => withoutUndefined({ order: orderBy, updatedAfter }));

/** The order of a list of cards, and since when they were changed. BadInputError. */
export function parseCardList(args: object): Pick<CardPageRequest, 'order' | 'updatedAfter'> {
  return parse(cardList, args, '');
}
