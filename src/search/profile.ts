import { completeSearch } from '../domain/parse/search.js';
import type { ProfileSettings, SearchProfile } from '../domain/profile.js';
import type { SearchRequest } from '../domain/search.js';
import { POSTERIOR_RULE } from '../lexical/label-lane.js';
import { DEFAULTS, INFERRED_WEIGHT, settingsOf } from './defaults.js';

/** The name of the profile of searches that name none. */
export const DEFAULT_PROFILE = 'default';

/** The name of the profile that goes back to plain vector search. */
const PLAIN_VECTORS = 'plain-vectors';

/** The settings of searches that name no profile. */
export const BUILTIN_SETTINGS: ProfileSettings = {
  weights: DEFAULTS.hybridSearch.weights,
  lexicalShare: DEFAULTS.hybridSearch.lexicalShare,
  inferredWeight: INFERRED_WEIGHT,
  fusion: 'WEIGHTED',
  thresholdSteps: null,
  minResults: 5,
  ...POSTERIOR_RULE,
  diversity: 0,
};

/** The profiles that every gateway has. */
export const BUILTIN_PROFILES: readonly [SearchProfile, ...SearchProfile[]] = [
  { name: DEFAULT_PROFILE, description: 'As searches are that name no profile.', settings: BUILTIN_SETTINGS },
  {
    name: PLAIN_VECTORS,
    description:
      'The vectors alone, without words, labels, steps or diversity: the switch back to plain vector search.',
    settings: { ...BUILTIN_SETTINGS, lexicalShare: 0, inferredWeight: 0, thresholdSteps: [0], diversity: 0 },
  },
];

/** A search by a profile for the subject of a golden case. */
export function requestBy(
  settings: ProfileSettings,
  { operation, subject, filter }: Pick<SearchRequest, 'operation' | 'subject' | 'filter'>,
  topK: number,
): SearchRequest {
  return completeSearch({ operation, subject, filter, topK }, {}, settingsOf(operation, settings));
}
