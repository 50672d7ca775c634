import { z } from 'zod';
import type { CardPageRequest } from '../ports/cards.js';
import { parse, withoutUndefined } from './parse.js';
import { instant, whole } from './scalars.js';

/** A label of 400 characters of four bytes each, in base64. */
const MAX_CURSOR_CHARS = 2_200;

const after = z
  .string()
  .regex(/^[\w-]+$/, 'is not a cursor of this list')
  .max(MAX_CURSOR_CHARS, 'is not a cursor of this list')
  .nullish();

const page = z.object({ first: whole(1, 100), after });
const cursor = z.object({ after });

/**
 * Which page of a list a client wants; whether `after` is a cursor of that list is for the store to say. BadInputError.
 */
export function parsePage(args: { readonly first?: unknown; readonly after?: unknown }): {
  first: number;
  after: string | null;
} {
  const { first, after } = parse(page, { first: args.first, after: args.after }, '');
  return { first, after: after ?? null };
}

/** The cursor of a list whose pages have another size than `first`. BadInputError. */
export function parseAfter(given: unknown): string | null {
  return parse(cursor, { after: given }, '').after ?? null;
}

const cardList = z
  .object({
    orderBy: z
      .object({
        field: z.enum(['CREATED', 'UPDATED', 'OCCURRED', 'DIFFICULTY']),
        direction: z
          .enum(['ASC', 'DESC'])
          .nullish()
          .transform((given) => given ?? 'DESC'),
      })
      .nullish(),
    updatedAfter: instant.nullish(),
  })
  .transform(({ orderBy, updatedAfter }) =>
    withoutUndefined({ order: orderBy ?? undefined, updatedAfter: updatedAfter ?? undefined }),
  );

/** The order of a list of cards, and since when they were changed. BadInputError. */
export function parseCardList(args: object): Pick<CardPageRequest, 'order' | 'updatedAfter'> {
  return parse(cardList, args, '');
}
