import { z } from 'zod';
import { BadInputError } from '../errors.js';
import { parse } from './parse.js';
import { instant } from './scalars.js';

const timeWindow = z.strictObject({ after: instant.nullish(), before: instant.nullish() });

/** From when, inclusive, until when, exclusive, as a client writes it; null where neither was given. BadInputError. */
export function parseWindow(value: unknown): { readonly after: Date | null; readonly before: Date | null } | null {
  const { after, before } = parse(timeWindow, value, '');
  if (after == null && before == null) return null;
  if (after != null && before != null && after >= before) throw new BadInputError('before', 'must be later than after');
  return { after: after ?? null, before: before ?? null };
}
