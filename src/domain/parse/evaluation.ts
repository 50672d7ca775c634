import { z } from 'zod';
import { BadInputError } from '../errors.js';
import { parse } from './parse.js';
import { name, whole } from './scalars.js';

/** nDCG@10 needs ten hits. */
const k = whole(10, 50);

const order = z.strictObject({
  set: name(100),
  profile: name(100),
  against: name(100).nullish(),
  tune: name(100).nullish(),
  k,
});

/** BadInputError. */
export function parseEvaluationOrder(args: unknown) {
  const { against, tune, ...rest } = parse(order, args, '');
  if (against != null && tune != null)
    throw new BadInputError(
      'against',
      'cannot be combined with tune: a tuned profile is compared with the initial one',
    );
  return { ...rest, against: against ?? null, tune: tune ?? null };
}
