import { z } from 'zod';
import type { ProfileSettings, SearchProfile } from '../profile.js';
import { FUSION_NAMES, MAX_ENOUGH, QUERY_EXPANSIONS } from '../search.js';
import { parse } from './parse.js';
import { name, optionalText, whole } from './scalars.js';
import { share, steps, weights } from './search.js';

/** A whole that the texts have no part of would rank cards by their labels alone, whatever they say. */
const MOST_INFERRED = 0.95;

const powerRange = 'must be from 1 to 12';
const inferredRange = `must be from 0 to ${MOST_INFERRED}`;

const settings = z
  .strictObject({
    weights,
    lexicalShare: share,
    inferredWeight: z.number().min(0, inferredRange).max(MOST_INFERRED, inferredRange),
    fusion: z.enum(FUSION_NAMES),
    thresholdSteps: steps.nullable(),
    minResults: whole(0, MAX_ENOUGH),
    profilePower: z.number().min(1, powerRange).max(12, powerRange),
    voteShare: share,
    diversity: share,
    expandWith: z.enum(QUERY_EXPANSIONS).nullable(),
  })
  .partial();

const profile = z.strictObject({ name: name(100), description: optionalText.nullish(), settings });

/**
 * A profile as a client, a file or the database has it, complete: what it does not say is as in `defaults`. BadInputError,
 * its field below `fieldPrefix`: `input.settings.fusion`.
 */
export function parseProfile(value: unknown, fieldPrefix: string, defaults: ProfileSettings): SearchProfile {
  const { name: given, description, settings: said } = parse(profile, value, fieldPrefix);
  const kept = Object.fromEntries(Object.entries(said).filter(([, entry]) => entry !== undefined));
  return { name: given, description: description ?? null, settings: { ...defaults, ...kept } };
}
