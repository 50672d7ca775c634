import { Field, Float, Int, ObjectType, Root } from 'type-graphql';
import type { Fusion, RecallLayer, RecallStrategy } from '../src/domain/search.js';
import type {
  LayerTrial as DomainLayerTrial,
  SearchHit as DomainSearchHit,
  FilterPlan,
  RetrieverName,
  SearchStage,
} from '../src/domain/search-result.js';
import { PageInfo } from './card-connection.type.js';
import { FusionEnum, RecallLayerEnum, RecallStrategyEnum } from './enums.js';
import { FilterPlanEnum, RetrieverEnum, SearchStageEnum } from './search.enums.js';
import { SearchHit } from './search-hit.type.js';

@ObjectType({ description: 'One layer of a layered search and what came of it.', simpleResolvers: true })
export class LayerTrial {
  @Field(() => RecallLayerEnum, { description: 'The layer.' })
  layer!: RecallLayer;

  @Field(() => Int, { description: 'How many cards it admitted that no layer before it had.' })
  admitted!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'The lowest threshold step that it came to; null where no step applied or the layer failed.',
  })
  threshold!: number | null;

  @Field(() => Float, { description: 'How long it took, in milliseconds.' })
  tookMs!: number;
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

@ObjectType({ description: 'What a search actually did.', simpleResolvers: true })
export class SearchReceipt {
  @Field(() => Int, { description: 'The number of hits that was asked for.' })
  requestedTopK!: number;

  @Field(() => String, {
    nullable: true,
    description:
      'The search profile whose settings the search used: the one that was asked for, "learned" where weights were learned from the notebook, else the default one.',
  })
  profile!: string | null;

  @Field(() => RecallStrategyEnum, { description: 'How candidates were collected.' })
  strategy!: RecallStrategy;

  @Field(() => FusionEnum, { description: 'How the lanes became one score.' })
  fusion!: Fusion;

  @Field(() => [String], {
    description:
      'Which retrievers were asked for candidates: "chroma" (nearest neighbours), "lexical" (BM25), "label" (cards of the most likely labels), "exact" (every card, or every card that matches the filter, was compared).',
    deprecationReason: 'Use `retrievedBy`. Deprecated on 2026-11-23.',
  })
  retrievers!: RetrieverName[];

  @Field(() => [RetrieverEnum], { description: 'Which retrievers were asked for candidates.', simple: false })
  retrievedBy(@Root() { retrievers }: SearchReceipt): RetrieverName[] {
    return retrievers;
  }

  @Field(() => String, {
    description:
      'How the filter was kept: "none" without a filter, "exact" where every matching card was compared in memory, "overfetch" where more candidates were fetched and those that do not match were dropped.',
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
      'How many cards the filter lets through, by the index: a change counts as soon as it is indexed, while the hits are those of this moment. Null without a filter.',
  })
  matchedByFilter!: number | null;

  @Field(() => Int, { description: 'How many cards were scored.' })
  candidates!: number;

  @Field(() => [Float], {
    description: 'The threshold steps that were tried, descending; none where minScore was given.',
  })
  thresholdsTried!: number[];

  @Field(() => Boolean, {
    description:
      'Whether the second or third hit comes before hits with better scores, as the best card of another label that the text may be about: see coverLabels.',
  })
  coversLabels!: boolean;

  @Field(() => Boolean, {
    description:
      'Whether the text has no more in common with any candidate than texts have by chance: there is no hit then, unless thresholdSteps or minScore were given.',
  })
  nothingClose!: boolean;

  @Field(() => [LayerTrial], {
    description: 'The layers that were tried, in order; none where the search was not layered.',
  })
  layers!: DomainLayerTrial[];

  @Field(() => String, {
    nullable: true,
    description:
      'The query with its spelling corrected and with the words that were added to it; null where nothing was.',
  })
  expandedQuery!: string | null;

  @Field(() => [String], {
    description:
      'The topic tags and error types that the query was found to be about, the most likely first, at most 5; empty where the query is a card that has its own.',
  })
  inferredConcepts!: string[];

  @Field(() => [String], { description: 'The rewrites of the query that were searched for beside it.' })
  rewrites!: string[];

  @Field(() => String, {
    description: 'The model that made the vectors, with its dimensions, number type and version.',
  })
  embeddingModel!: string;

  @Field(() => String, { nullable: true, description: 'The cross-encoder that had a say; null where none had.' })
  rerankModel!: string | null;

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

  @Field(() => PageInfo, {
    description:
      'Where these hits are in the list of all, which ends after 200. With the strategy LAYERED, the last page may be empty.',
  })
  pageInfo!: PageInfo;

  @Field(() => SearchReceipt, { description: 'What the search did to find them.' })
  receipt!: SearchReceipt;
}
