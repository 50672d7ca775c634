import { GraphQLDateTime } from 'graphql-scalars';
import { Float, Int } from 'type-graphql';
import type { ByPerspective } from '../../src/domain/perspective.js';
import type * as profiles from '../../src/domain/profile.js';
import type * as searches from '../../src/domain/search.js';
import { FusionEnum, QueryExpansionEnum } from '../enums.js';
import { SearchOperationEnum } from '../evaluation/evaluation.enums.js';
import { field, inputType, nullable, outputType, twoWayTypes } from '../types.js';

export const { input: PerspectiveWeights, output: ProfileWeights } = twoWayTypes<ByPerspective<number>>(
  {
    input: [
      'PerspectiveWeights',
      'The weight of each perspective, from 0 to 1000. Only the ratios matter, and an omitted perspective, or null, has weight 0. Example: {question: 3, concept: 1}.',
    ],
    output: ['ProfileWeights', 'Weights of the perspectives in hybridSearch; only the ratios matter.'],
  },
  {
    question: field(Float, 'The weight of the question text.'),
    solution: field(Float, 'The weight of the solutions.'),
    concept: field(Float, 'The weight of the topic tags.'),
    error: field(Float, 'The weight of the error types.'),
  },
);

export const { input: ProfileSettingsInput, output: ProfileSettings } = twoWayTypes<searches.ProfileSettings>(
  {
    input: ['ProfileSettingsInput', 'Settings of a search profile; omitted ones are those of the profile "default".'],
    output: ['ProfileSettings', 'Defaults of the searches that name this profile.'],
  },
  {
    weights: field(ProfileWeights, 'Weight of each perspective in hybridSearch.', { inputType: PerspectiveWeights }),
    lexicalShare: field(Float, 'Weight of the lexical lanes against the dense ones, from 0 to 1.'),
    inferredWeight: field(Float, 'Weight of the inferred lanes against all others, from 0 to 0.95.'),
    fusion: field(FusionEnum, 'How the scores of the lanes are combined.'),
    thresholdSteps: nullable(
      [Float],
      'Minimum scores of hits, descending; null for the steps of the embedding model.',
      {
        inputDescription:
          'Minimum scores of hits, descending, each from 0 to 1; null for the steps of the embedding model.',
      },
    ),
    minResults: field(Int, 'Number of hits at which a threshold step is accepted.', {
      inputDescription: 'Number of hits at which a threshold step is accepted, from 0 to 50.',
    }),
    profilePower: field(
      Float,
      'Weight in the label model of how well the cards of a label, taken as one text, match the query by BM25, from 1 to 12.',
      { inputDescription: 'Weight in the label model of how well the cards of a label match the query, from 1 to 12.' },
    ),
    voteShare: field(Float, 'Weight of the kNN vote in the label model, from 0 to 1.'),
    diversity: field(Float, 'Weight of novelty against similarity in MMR, from 0 to 1.'),
    expandWith: nullable(
      QueryExpansionEnum,
      'Rewrites by the chat model that are searched for in addition to a text; null for none.',
    ),
  },
);

const HeldOutQuality = outputType<profiles.HeldOutQuality>(
  'HeldOutQuality',
  'Means over the queries that were held out.',
  {
    ndcgAt10: field(Float, 'Mean nDCG of the first ten hits.'),
    mrr: field(Float, 'Mean reciprocal rank of the first relevant hit.'),
  },
);

const LearnedOperation = outputType<profiles.LearnedOperation>(
  'LearnedOperation',
  'Settings of one search that were learned from the labelled cards of the notebook.',
  {
    operation: field(SearchOperationEnum, 'The search.'),
    used: field(
      Boolean,
      'Whether searches use them: only if they were better than the defaults on the held-out queries.',
    ),
    settings: field(ProfileSettings, 'The settings that were learned.'),
    trainingQueries: field(Int, 'Number of queries that they were learned from.'),
    heldOutQueries: field(Int, 'How many queries were held out.'),
    byDefault: field(HeldOutQuality, 'With the default settings.'),
    learned: field(HeldOutQuality, 'With the learned settings.'),
  },
);

const LearnedProfile = outputType<profiles.LearnedProfile, 'model'>(
  'LearnedProfile',
  'What was learned from the labelled cards of the notebook.',
  {
    labelledCards: field(Int, 'Number of labelled cards at that time.'),
    learnedAt: field(GraphQLDateTime, 'When.'),
    operations: field([LearnedOperation], 'One per search; searches with too few queries to learn from are omitted.'),
  },
);

export const SearchProfile = outputType<profiles.SearchProfile>(
  'SearchProfile',
  'Search settings with a name, for the argument `profile` of every search.',
  {
    name: field(String, 'The name.'),
    description: nullable(String, 'The purpose of the profile, or its measured effect.'),
    settings: field(ProfileSettings, 'The settings.'),
    learned: nullable(
      LearnedProfile,
      'For the profile learned from the notebook: the settings of each search, and their measurements.',
    ),
  },
);

export const SearchProfileInput = inputType('SearchProfileInput', 'A search profile to create or to replace.', {
  name: field(String, 'The name: 1 to 100 characters, not that of a built-in profile.'),
  description: nullable(String, 'The purpose of the profile.'),
  settings: field(ProfileSettingsInput, 'The settings.'),
});
