import { Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import type { Fusion } from '../src/domain/search.js';
import { FusionEnum } from './enums.js';
import { PerspectiveWeights } from './search.input.js';

@ObjectType({
  description: 'How much each perspective counts in hybridSearch; only the ratios matter.',
  simpleResolvers: true,
})
export class ProfileWeights {
  @Field(() => Float, { description: 'The weight of the question text.' })
  question!: number;

  @Field(() => Float, { description: 'The weight of the solutions.' })
  solution!: number;

  @Field(() => Float, { description: 'The weight of the topic tags.' })
  concept!: number;

  @Field(() => Float, { description: 'The weight of the error types.' })
  error!: number;
}

@ObjectType({
  description: 'How searches decide that name this profile, where their client does not say.',
  simpleResolvers: true,
})
export class ProfileSettings {
  @Field(() => ProfileWeights, { description: 'What each perspective counts in hybridSearch.' })
  weights!: ProfileWeights;

  @Field(() => Float, { description: 'How much the words count beside the vectors, from 0 to 1.' })
  lexicalShare!: number;

  @Field(() => Float, { description: 'What the inferred lanes weigh beside all others, from 0 to 0.95.' })
  inferredWeight!: number;

  @Field(() => FusionEnum, { description: 'How the lanes become one score.' })
  fusion!: Fusion;

  @Field(() => [Float], {
    nullable: true,
    description: 'What hits must reach, descending; null for the steps of the embedding model.',
  })
  thresholdSteps!: number[] | null;

  @Field(() => Int, { description: 'How many hits make a step enough.' })
  minResults!: number;

  @Field(() => Float, {
    description:
      'A label whose profile fits half as well as the best one is believed 1 / 2^power as much, from 1 to 12.',
  })
  profilePower!: number;

  @Field(() => Float, { description: 'What the nearest cards weigh in the label model, from 0 to 1.' })
  voteShare!: number;

  @Field(() => Float, { description: 'How much novelty counts beside likeness, from 0 to 1.' })
  diversity!: number;
}

@ObjectType({
  description: 'Search settings with a name, for the argument `profile` of every search.',
  simpleResolvers: true,
})
export class SearchProfile {
  @Field(() => String, { description: 'The name.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'What it is for, or what it was measured to do.' })
  description!: string | null;

  @Field(() => ProfileSettings, { description: 'The settings.' })
  settings!: ProfileSettings;
}

@InputType({ description: 'Settings of a search profile; what is left out is as in the profile "default".' })
export class ProfileSettingsInput {
  @Field(() => PerspectiveWeights, { nullable: true, description: 'What each perspective counts in hybridSearch.' })
  weights?: PerspectiveWeights;

  @Field(() => Float, { nullable: true, description: 'How much the words count beside the vectors, from 0 to 1.' })
  lexicalShare?: number;

  @Field(() => Float, {
    nullable: true,
    description: 'What the inferred lanes weigh beside all others, from 0 to 0.95.',
  })
  inferredWeight?: number;

  @Field(() => FusionEnum, { nullable: true, description: 'How the lanes become one score.' })
  fusion?: Fusion;

  @Field(() => [Float], {
    nullable: true,
    description: 'What hits must reach, descending, each from 0 to 1; null for the steps of the embedding model.',
  })
  thresholdSteps?: number[] | null;

  @Field(() => Int, { nullable: true, description: 'How many hits make a step enough, from 0 to 50.' })
  minResults?: number;

  @Field(() => Float, { nullable: true, description: 'How sharply the best label stands out, from 1 to 12.' })
  profilePower?: number;

  @Field(() => Float, {
    nullable: true,
    description: 'What the nearest cards weigh in the label model, from 0 to 1.',
  })
  voteShare?: number;

  @Field(() => Float, { nullable: true, description: 'How much novelty counts beside likeness, from 0 to 1.' })
  diversity?: number;
}

@InputType({ description: 'A search profile to make, or to change as a whole.' })
export class SearchProfileInput {
  @Field(() => String, { description: 'The name: 1 to 100 characters, none that every gateway has.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'What it is for.' })
  description?: string | null;

  @Field(() => ProfileSettingsInput, { description: 'The settings.' })
  settings!: ProfileSettingsInput;
}
