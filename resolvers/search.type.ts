import { Field, Float, Int, ObjectType } from 'type-graphql';
import type { Card } from '../src/domain/card.js';
import type { Perspective } from '../src/domain/perspective.js';
import type { LaneScore as DomainLaneScore, SearchHit as DomainSearchHit } from '../src/domain/search.js';
import { MistakeCard } from './card.type.js';
import { LaneKindEnum, PerspectiveEnum } from './enums.js';

@ObjectType({
  description: 'How a card did in one lane, and what that added to its score: the reason for the hit.',
  simpleResolvers: true,
})
export class LaneScore {
  @Field(() => PerspectiveEnum, { description: 'The perspective that the lane compares.' })
  perspective!: Perspective;

  @Field(() => LaneKindEnum, { description: 'How the lane compares.' })
  kind!: DomainLaneScore['kind'];

  @Field(() => Float, { description: 'How alike they are in this lane alone, from 0 to 1.' })
  score!: number;

  @Field(() => Float, { description: "The lane's share in this search, from 0 to 1; 0 where it was not asked for." })
  weight!: number;

  @Field(() => Float, {
    description: "What the lane added to the hit's score. The contributions of a hit add up to its score.",
  })
  contribution!: number;

  @Field(() => Int, {
    nullable: true,
    description: "The card's place by this lane alone, 1 is best; null where the lane was not asked for.",
  })
  rank!: number | null;
}

@ObjectType({ description: 'A card that was found, with the reasons.', simpleResolvers: true })
export class SearchHit {
  @Field(() => MistakeCard, { description: 'The card as it is now.' })
  card!: Card;

  @Field(() => Int, { description: 'The place of the hit: 1 is best.' })
  rank!: number;

  @Field(() => Float, {
    description:
      'How alike query and card are, from 0 to 1: the weighted mean over the lanes that the card has a text for.',
  })
  score!: number;

  @Field(() => [LaneScore], {
    description:
      'Every lane that the card has a text for, scored exactly, and the inferred lanes that were asked for where anything could be inferred.',
  })
  lanes!: DomainLaneScore[];
}

@ObjectType({ description: 'A part that did not do what it should, and what that means.', simpleResolvers: true })
export class Degradation {
  @Field(() => String, { description: 'The part, such as "chroma".' })
  part!: string;

  @Field(() => String, { description: 'What went wrong and what the answer lacks because of it.' })
  reason!: string;
}

@ObjectType({ description: 'How long a stage of a search took.', simpleResolvers: true })
export class StageTiming {
  @Field(() => String, { description: 'The stage, such as "embed" or "recall".' })
  stage!: string;

  @Field(() => Float, { description: 'How long it took, in milliseconds.' })
  tookMs!: number;
}

@ObjectType({ description: 'What a search actually did.', simpleResolvers: true })
export class SearchReceipt {
  @Field(() => Int, { description: 'The number of hits that was asked for.' })
  requestedTopK!: number;

  @Field(() => String, {
    description:
      'How the filter was kept: "none" without a filter, "exact" where every matching card was scored, "overfetch" where more candidates were fetched and those that do not match were dropped.',
  })
  filterPlan!: string;

  @Field(() => Int, { nullable: true, description: 'How many cards the filter lets through; null without a filter.' })
  matchedByFilter!: number | null;

  @Field(() => Int, { description: 'How many cards were scored.' })
  candidates!: number;

  @Field(() => [String], {
    description:
      'The topic tags and error types that the query was found to be about, the most likely first, at most 5; empty where the query is a card that has its own.',
  })
  inferredConcepts!: string[];

  @Field(() => String, {
    description: 'The model that made the vectors, with its dimensions, number type and version.',
  })
  embeddingModel!: string;

  @Field(() => [Degradation], { description: 'What went wrong on the way; empty when all went as planned.' })
  degraded!: Degradation[];

  @Field(() => Float, { description: 'How long the search took, in milliseconds.' })
  tookMs!: number;

  @Field(() => [StageTiming], { description: 'How long each stage took, in the order in which they ran.' })
  stages!: StageTiming[];
}

@ObjectType({ description: 'The answer to a search.', simpleResolvers: true })
export class SearchResult {
  @Field(() => [SearchHit], { description: 'The cards that were found, best first.' })
  hits!: DomainSearchHit[];

  @Field(() => SearchReceipt, { description: 'What the search did to find them.' })
  receipt!: SearchReceipt;
}
