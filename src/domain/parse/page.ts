import { z } from 'zod';
import type { CardPageRequest } from '../ports/cards.js';
import { optional, parserOf, withoutUndefined } from './parse.js';
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

/** Which page of a list a client wants; whether `after` is a cursor of that list is for the store to say. */
export const parsePage = parserOf(z.object({ first: whole(1, 100), after }));

/** The cursor of a list whose pages have another size than `first`. */
export const parseAfter = parserOf(after);

const order = z.object({
  field: z.enum(['CREATED', 'UPDATED', 'OCCURRED', 'DIFFICULTY']),
  direction: optional(z.enum(['ASC', 'DESC']), 'DESC'),
});

/** The order of a list of cards, and since when they were changed. */
export const parseCardList = parserOf<Pick<CardPageRequest, 'order' | 'updatedAfter'>>(
  z
    .object({ orderBy: optional(order, undefined), updatedAfter: optional(instant, undefined) })
    .transform(({ orderBy, updatedAfter }) => withoutUndefined({ order: orderBy, updatedAfter })),
);
