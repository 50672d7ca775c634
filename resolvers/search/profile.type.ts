import { GraphQLDateTime } from 'graphql-scalars';
import { Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import type { ByPerspective } from '../../src/domain/perspective.js';
import type { ProfileSettings as Settings } from '../../src/domain/profile.js';
import type { SearchOperation } from '../../src/domain/search.js';
import { FusionEnum, QueryExpansionEnum } from '../enums.js';
import { SearchOperationEnum } from '../evaluation/golden.enums.js';
import { addTwoWayFields } from '../two-way-fields.js';

@ObjectType({
  description: 'Weights of the perspectives in hybridSearch; only the ratios matter.',
  simpleResolvers: true,
})
export class ProfileWeights {}

@InputType({
  description:
    'The weight of each perspective, from 0 to 1000. Only the ratios matter, and an omitted perspective, or null, has weight 0. Example: {question: 3, concept: 1}.',
})
export class PerspectiveWeights {}

addTwoWayFields<ByPerspective<number>>(
  { input: PerspectiveWeights, output: ProfileWeights },
  {
    question: { type: Float, description: 'The weight of the question text.' },
    solution: { type: Float, description: 'The weight of the solutions.' },
    concept: { type: Float, description: 'The weight of the topic tags.' },
    error: { type: Float, description: 'The weight of the error types.' },
  },
);

@ObjectType({ description: 'Defaults of the searches that name this profile.', simpleResolvers: true })
export class ProfileSettings {}

@InputType({ description: 'Settings of a search profile; omitted ones are those of the profile "default".' })
export class ProfileSettingsInput {}

addTwoWayFields<Settings>(
  { input: ProfileSettingsInput, output: ProfileSettings },
  {
    weights: {
      type: ProfileWeights,
      inputType: PerspectiveWeights,
      description: 'Weight of each perspective in hybridSearch.',
    },
    lexicalShare: {
      type: Float,
      description: 'Weight of the lexical lanes against the dense ones, from 0 to 1.',
    },
    inferredWeight: {
      type: Float,
      description: 'Weight of the inferred lanes against all others, from 0 to 0.95.',
    },
    fusion: { type: FusionEnum, description: 'How the scores of the lanes are combined.' },
    thresholdSteps: {
      type: [Float],
      nullable: true,
      description: 'Minimum scores of hits, descending; null for the steps of the embedding model.',
      inputDescription:
        'Minimum scores of hits, descending, each from 0 to 1; null for the steps of the embedding model.',
    },
    minResults: {
      type: Int,
      description: 'Number of hits at which a threshold step is accepted.',
      inputDescription: 'Number of hits at which a threshold step is accepted, from 0 to 50.',
    },
    profilePower: {
      type: Float,
      description:
        'Weight in the label model of how well the cards of a label, taken as one text, match the query by BM25, from 1 to 12.',
      inputDescription: 'Weight in the label model of how well the cards of a label match the query, from 1 to 12.',
    },
    voteShare: { type: Float, description: 'Weight of the kNN vote in the label model, from 0 to 1.' },
    diversity: { type: Float, description: 'Weight of novelty against similarity in MMR, from 0 to 1.' },
    expandWith: {
      type: QueryExpansionEnum,
      nullable: true,
      description: 'Rewrites by the chat model that are searched for in addition to a text; null for none.',
    },
  },
);

@ObjectType({ description: 'Means over the queries that were held out.', simpleResolvers: true })
export class HeldOutQuality {
  @Field(() => Float, { description: 'Mean nDCG of the first ten hits.' })
  ndcgAt10!: number;

  @Field(() => Float, { description: 'Mean reciprocal rank of the first relevant hit.' })
  mrr!: number;
}

@ObjectType({
  description: 'Settings of one search that were learned from the labelled cards of the notebook.',
  simpleResolvers: true,
})
export class LearnedOperation {
  @Field(() => SearchOperationEnum, { description: 'The search.' })
  operation!: SearchOperation;

  @Field(() => Boolean, {
    description: 'Whether searches use them: only if they were better than the defaults on the held-out queries.',
  })
  used!: boolean;

  @Field(() => ProfileSettings, { description: 'The settings that were learned.' })
  settings!: ProfileSettings;

  @Field(() => Int, { description: 'Number of queries that they were learned from.' })
  trainingQueries!: number;

  @Field(() => Int, { description: 'How many queries were held out.' })
  heldOutQueries!: number;

  @Field(() => HeldOutQuality, { description: 'With the default settings.' })
  byDefault!: HeldOutQuality;

  @Field(() => HeldOutQuality, { description: 'With the learned settings.' })
  learned!: HeldOutQuality;
}

@ObjectType({ description: 'What was learned from the labelled cards of the notebook.', simpleResolvers: true })
export class LearnedProfile {
  @Field(() => Int, { description: 'Number of labelled cards at that time.' })
  labelledCards!: number;

  @Field(() => GraphQLDateTime, { description: 'When.' })
  learnedAt!: Date;

  @Field(() => [LearnedOperation], {
    description: 'One per search; searches with too few queries to learn from are omitted.',
  })
  operations!: LearnedOperation[];
}

@ObjectType({
  description: 'Search settings with a name, for the argument `profile` of every search.',
  simpleResolvers: true,
})
export class SearchProfile {
  @Field(() => String, { description: 'The name.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'The purpose of the profile, or its measured effect.' })
  description!: string | null;

  @Field(() => ProfileSettings, { description: 'The settings.' })
  settings!: ProfileSettings;

  @Field(() => LearnedProfile, {
    nullable: true,
    description: 'For the profile learned from the notebook: the settings of each search, and their measurements.',
  })
  learned?: LearnedProfile | null;
}

@InputType({ description: 'A search profile to create or to replace.' })
export class SearchProfileInput {
  @Field(() => String, { description: 'The name: 1 to 100 characters, not that of a built-in profile.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'The purpose of the profile.' })
  description?: string | null;

  @Field(() => ProfileSettingsInput, { description: 'The settings.' })
  settings!: ProfileSettingsInput;
}
