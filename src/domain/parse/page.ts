import { z } from 'zod';
import { parse } from './parse.js';
import { whole } from './scalars.js';

/** A label of 400 characters of four bytes each, in base64. */
const MAX_CURSOR_CHARS = 2_200;

const page = z.object({
  first: whole(1, 100),
  after: z
    .string()
    .regex(/^[\w-]+$/, 'is not a cursor of this list')
    .max(MAX_CURSOR_CHARS, 'is not a cursor of this list')
    .nullish(),
});

/** Which page of a list a client wants; whether `after` is a cursor of that list is for the store to say. BadInputError. */
export function parsePage(args: { readonly first?: unknown; readonly after?: unknown }): {
  first: number;
  after: string | null;
} {
  const { first, after } = parse(page, { first: args.first, after: args.after }, '');
  return { first, after: after ?? null };
}
