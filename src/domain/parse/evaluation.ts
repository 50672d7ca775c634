import { z } from 'zod';
import { parse } from './parse.js';
import { name, whole } from './scalars.js';

/** nDCG@10 needs ten hits, and a search answers at most fifty. */
const k = whole(10, 50);

const order = z.strictObject({
  set: name(100),
  profile: name(100),
  against: name(100).nullish(),
  k,
});

/** What to evaluate, as a client writes it. BadInputError. */
export function parseEvaluationOrder(args: unknown) {
  const { against, ...rest } = parse(order, args, '');
  return { ...rest, against: against ?? null };
}
