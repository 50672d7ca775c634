import { z } from 'zod';
import { parse } from './parse.js';
import { whole } from './scalars.js';

const page = (cursorChars: number) =>
  z.object({
    first: whole(1, 100),
    after: z
      .string()
      .regex(new RegExp(`^[\\w-]{1,${cursorChars}}$`), 'is not a cursor of this list')
      .nullish(),
  });

/** Which page of a list a client wants; whether `after` is a cursor of that list is for the store to say. BadInputError. */
export function parsePage(
  args: { readonly first?: unknown; readonly after?: unknown },
  cursorChars = 1_000,
): {
  first: number;
  after: string | null;
} {
  const { first, after } = parse(page(cursorChars), { first: args.first, after: args.after }, '');
  return { first, after: after ?? null };
}
