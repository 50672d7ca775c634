import { z } from 'zod';
import type { LearnedProfile, SearchProfile } from '../profile.js';
import { type ProfileSettings, SEARCH_OPERATIONS } from '../search.js';
import { optional, parse, withoutNulls } from './parse.js';
import { between, optionalText, shortName } from './scalars.js';
import { overridable, share, weights } from './search.js';

/** At 1, texts would not count, and cards would be ranked by their labels alone. */
const MOST_INFERRED = 0.95;

const settings = z.strictObject({
  ...overridable,
  weights: weights.nullish(),
  inferredWeight: between(0, MOST_INFERRED).nullish(),
  profilePower: between(1, 12).nullish(),
  voteShare: share.nullish(),
});

const quality = z.object({ ndcgAt10: z.number(), mrr: z.number() });

const learnedProfile = z.object({
  model: z.string(),
  labelledCards: z.number(),
  learnedAt: z.date(),
  operations: z.array(
    z.object({
      operation: z.enum(SEARCH_OPERATIONS),
      settings,
      used: z.boolean(),
      trainingQueries: z.number(),
      heldOutQueries: z.number(),
      byDefault: quality,
      learned: quality,
    }),
  ),
});

const profile = z.strictObject({ name: shortName, description: optional(optionalText, null), settings });

/**
 * A profile as a client, a file or the database has it, complete: what it does not say, or says as null, is as in
 * `defaults`. BadInputError, its field below `fieldPrefix`: `input.settings.fusion`.
 */
export function parseProfile(value: unknown, fieldPrefix: string, defaults: ProfileSettings): SearchProfile {
  const given = parse(profile, value, fieldPrefix);
  return { ...given, settings: { ...defaults, ...withoutNulls(given.settings) } };
}

/**
 * What was learned from a notebook, as the database has it, its settings complete as in {@link parseProfile}.
 * BadInputError.
 */
export function parseLearnedProfile(value: unknown, defaults: ProfileSettings): LearnedProfile {
  const { operations, ...learned } = parse(learnedProfile, value, 'learned');
  return {
    ...learned,
    operations: operations.map((one) => ({ ...one, settings: { ...defaults, ...withoutNulls(one.settings) } })),
  };
}
