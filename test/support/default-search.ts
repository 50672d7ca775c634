import type { SearchRequest } from '../../src/domain/search.js';

/**
 * What every search of the built-in profile is where the client says nothing; what it is about, and its weights, are
 * its own.
 */
export const DEFAULT_SEARCH: Omit<SearchRequest, 'operation' | 'subject' | 'weights'> = {
  profile: null,
  defaultWeights: false,
  lexicalShare: 0.6,
  inferredWeight: 0.55,
  profilePower: 4,
  voteShare: 0.4,
  topK: 5,
  filter: {},
  fusion: 'WEIGHTED',
  strategy: 'FUSED',
  minScore: null,
  thresholdSteps: null,
  minResults: 200,
  diversity: 0,
  rerank: false,
  keywords: [],
  expand: true,
  expandWith: null,
  perLane: null,
  preferQuality: false,
  coverLabels: true,
  avoid: { question: 0, solution: 0, concept: 0, error: 0 },
};
