import { Field, Float, Int, ObjectType, Root } from 'type-graphql';
import type { Fusion, RecallLayer, RecallStrategy } from '../../src/domain/search.js';
import type {
  LayerTrial as DomainLayerTrial,
  SearchHit as DomainSearchHit,
  FilterPlan,
  RetrieverName,
  SearchStage,
} from '../../src/domain/search-result.js';
import { PageInfo } from '../connection.js';
import { FusionEnum, RecallLayerEnum, RecallStrategyEnum } from '../enums.js';
import { FilterPlanEnum, RetrieverEnum, SearchStageEnum } from './search.enums.js';
import { SearchHit } from './search-hit.type.js';

@ObjectType({ description: 'One layer of a layered search and its outcome.', simpleResolvers: true })
export class LayerTrial {
  @Field(() => RecallLayerEnum, { description: 'The layer.' })
  layer!: RecallLayer;

  @Field(() => Int, { description: 'Number of cards that it added to those of the layers before it.' })
  admitted!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'The lowest threshold step that it reached; null if no step applied or the layer failed.',
  })
  threshold!: number | null;

  @Field(() => Float, { description: 'How long it took, in milliseconds.' })
  tookMs!: number;
}

@ObjectType({ description: 'A part that failed or was too late, and the consequence.', simpleResolvers: true })
export class Degradation {
  @Field(() => String, { description: 'The part, such as "chroma".' })
  part!: string;

  @Field(() => String, { description: 'What went wrong, and what the result lacks because of it.' })
  reason!: string;
}

@ObjectType({ description: 'How long a stage of a search took.', simpleResolvers: true })
export class StageTiming {
  @Field(() => String, {
    description: 'The stage, such as "embed" or "retrieve".',
    deprecationReason: 'Use `name`. Deprecated on 2026-11-23.',
  })
  stage!: SearchStage;

  @Field(() => SearchStageEnum, { description: 'The stage.', simple: false })
  name(@Root() { stage }: StageTiming): SearchStage {
    return stage;
  }

  @Field(() => Float, { description: 'How long it took, in milliseconds.' })
  tookMs!: number;
}

@ObjectType({ description: 'How a search was executed.', simpleResolvers: true })
export class SearchReceipt {
  @Field(() => Int, { description: 'The requested number of hits.' })
  requestedTopK!: number;

  @Field(() => String, {
    nullable: true,
    description:
      'The search profile that was used: the requested one, "learned" if weights learned from the notebook were used, else the default one.',
  })
  profile!: string | null;

  @Field(() => RecallStrategyEnum, { description: 'How candidates were generated.' })
  strategy!: RecallStrategy;

  @Field(() => FusionEnum, { description: 'How the lanes were combined into one score.' })
  fusion!: Fusion;

  @Field(() => [String], {
    description:
      'Which retrievers were asked for candidates: "chroma" or, for a small tenant, "postgres" (nearest neighbours), "lexical" (BM25), "label" (cards of the most likely labels), "exact" (every card, or every card that matches the filter, was scored).',
    deprecationReason: 'Use `retrievedBy`. Deprecated on 2026-11-23.',
  })
  retrievers!: RetrieverName[];

  @Field(() => [RetrieverEnum], { description: 'Which retrievers were asked for candidates.', simple: false })
  retrievedBy(@Root() { retrievers }: SearchReceipt): RetrieverName[] {
    return retrievers;
  }

  @Field(() => String, {
    description:
      'How the filter was applied: "none" without a filter, "exact" if every matching card was scored in memory, "overfetch" if more candidates were fetched and those that do not match were dropped.',
    deprecationReason: 'Use `filtering`. Deprecated on 2026-11-23.',
  })
  filterPlan!: FilterPlan;

  @Field(() => FilterPlanEnum, { description: 'How the filter was applied.', simple: false })
  filtering(@Root() { filterPlan }: SearchReceipt): FilterPlan {
    return filterPlan;
  }

  @Field(() => Int, {
    nullable: true,
    description:
      'Number of cards that match the filter, according to the index: a change counts once it is indexed, while hits are checked at the moment of the answer. Null without a filter.',
  })
  matchedByFilter!: number | null;

  @Field(() => Int, { description: 'How many cards were scored.' })
  candidates!: number;

  @Field(() => [Float], {
    description: 'The threshold steps that were tried, descending; empty if minScore was given.',
  })
  thresholdsTried!: number[];

  @Field(() => Boolean, {
    description:
      'Whether the second or third hit comes before hits with better scores, as the best card of another label that the text may be about: see coverLabels.',
  })
  coversLabels!: boolean;

  @Field(() => Boolean, {
    description:
      'Whether the no-answer gate found that the text has no more in common with any candidate than by chance. There are no hits then. False with thresholdSteps or minScore, which bypass the gate, and for a card as query.',
  })
  nothingClose!: boolean;

  @Field(() => [LayerTrial], {
    description: 'The layers that were tried, in order; empty unless the strategy is LAYERED.',
  })
  layers!: DomainLayerTrial[];

  @Field(() => String, {
    nullable: true,
    description: 'The query with corrected spelling and added words; null if it is unchanged.',
  })
  expandedQuery!: string | null;

  @Field(() => [String], {
    description:
      'The topic tags and error types inferred for the query, the most likely first, at most 5; empty if the query is a card that has labels.',
  })
  inferredConcepts!: string[];

  @Field(() => [String], { description: 'The rewrites of the query that were searched for in addition.' })
  rewrites!: string[];

  @Field(() => String, {
    description: 'The model that made the vectors, with its dimensions, number type and version.',
  })
  embeddingModel!: string;

  @Field(() => String, { nullable: true, description: 'The cross-encoder that reranked the hits; null if none did.' })
  rerankModel!: string | null;

  @Field(() => [Degradation], { description: 'Parts that failed or were too late; empty if none did.' })
  degraded!: Degradation[];

  @Field(() => Float, { description: 'How long the search took, in milliseconds.' })
  tookMs!: number;

  @Field(() => [StageTiming], { description: 'How long each stage took, in the order in which they ran.' })
  stages!: StageTiming[];
}

@ObjectType({ description: 'The result of a search.', simpleResolvers: true })
export class SearchResult {
  @Field(() => [SearchHit], { description: 'The cards that were found, best first.' })
  hits!: DomainSearchHit[];

  @Field(() => PageInfo, {
    description:
      'Position of these hits in the whole list, which ends after 200. With the strategy LAYERED, the last page may be empty.',
  })
  pageInfo!: PageInfo;

  @Field(() => SearchReceipt, { description: 'How the search was executed.' })
  receipt!: SearchReceipt;
}
