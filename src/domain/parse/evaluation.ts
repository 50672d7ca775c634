import { z } from 'zod';
import { BadInputError } from '../errors.js';
import { parse } from './parse.js';
import { name, whole } from './scalars.js';

/** nDCG@10 needs ten hits, and a search answers at most fifty. */
const k = whole(10, 50);

const order = z.strictObject({
  set: name(100),
  profile: name(100),
  against: name(100).nullish(),
  tune: name(100).nullish(),
  k,
});

/** What to evaluate, as a client writes it. BadInputError. */
export function parseEvaluationOrder(args: unknown) {
  const { against, tune, ...rest } = parse(order, args, '');
  if (against != null && tune != null)
    throw new BadInputError('against', 'must be left out where a profile is tuned: it is compared with where it began');
  return { ...rest, against: against ?? null, tune: tune ?? null };
}
