import { byPerspective } from '../domain/perspective.js';
import type { ProfileSettings, SearchProfile } from '../domain/profile.js';
import type { SearchRequest } from '../domain/search.js';
import { DEFAULTS, INFERRED_WEIGHT } from './defaults.js';

/** The name of the profile of searches that name none. */
export const DEFAULT_PROFILE = 'default';

/** The name of the profile that goes back to plain vector search. */
export const PLAIN_VECTORS = 'plain-vectors';

/** The settings of searches that name no profile. */
export const BUILTIN_SETTINGS: ProfileSettings = {
  weights: DEFAULTS.hybridSearch.weights,
  lexicalShare: DEFAULTS.hybridSearch.lexicalShare,
  inferredWeight: INFERRED_WEIGHT,
  fusion: 'WEIGHTED',
  thresholdSteps: null,
  minResults: 5,
  profilePower: 4,
  voteShare: 0.4,
  diversity: 0,
};

/** The profiles that every gateway has. */
export const BUILTIN_PROFILES: readonly SearchProfile[] = [
  { name: DEFAULT_PROFILE, description: 'As searches are that name no profile.', settings: BUILTIN_SETTINGS },
  {
    name: PLAIN_VECTORS,
    description:
      'The vectors alone, without words, labels, steps or diversity: the switch back to plain vector search.',
    settings: { ...BUILTIN_SETTINGS, lexicalShare: 0, inferredWeight: 0, thresholdSteps: [0], diversity: 0 },
  },
];

/** A search by a profile for the subject of a golden case. Of the perspectives' weights, only `hybridSearch` takes the profile's. */
export function requestBy(
  settings: ProfileSettings,
  { operation, subject, filter }: Pick<SearchRequest, 'operation' | 'subject' | 'filter'>,
  topK: number,
): SearchRequest {
  const { weights, lexicalShare, fusion, thresholdSteps, minResults, diversity } = settings;
  return {
    operation,
    subject,
    weights: operation === 'hybridSearch' ? weights : DEFAULTS[operation].weights,
    lexicalShare,
    topK,
    filter,
    fusion,
    strategy: 'FUSED',
    minScore: null,
    thresholdSteps,
    minResults,
    diversity,
    rerank: false,
    keywords: [],
    expand: settings.inferredWeight > 0,
    perLane: null,
    preferQuality: false,
    avoid: byPerspective(() => 0),
  };
}
