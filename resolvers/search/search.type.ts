import { Float, Int } from 'type-graphql';
import type * as domain from '../../src/domain/search-result.js';
import { MistakeCard } from '../cards/card.type.js';
import { PageInfo } from '../connection.js';
import {
  FusionEnum,
  LaneKindEnum,
  PerspectiveEnum,
  RecallLayerEnum,
  RecallStrategyEnum,
  VerdictEnum,
} from '../enums.js';
import { outputType } from '../types.js';
import { FilterPlanEnum, RetrieverEnum, SearchStageEnum } from './search.enums.js';
import type { SearchPage } from './search-page.js';

const LaneScore = outputType<domain.LaneScore>(
  'LaneScore',
  'The score of a card in one lane, and its contribution to the score of the hit.',
  {
    perspective: { type: PerspectiveEnum, description: 'The perspective that the lane compares.' },
    kind: { type: LaneKindEnum, description: 'How the lane compares.' },
    score: { type: Float, description: 'The similarity in this lane alone, from 0 to 1.' },
    weight: {
      type: Float,
      description:
        "The lane's weight in this search, from 0 to 1; 0 if it was not requested, negative if similarity is avoided.",
    },
    contribution: {
      type: Float,
      description:
        "The lane's part of the hit's score; negative if similarity is avoided. The contributions of a hit add up to its fused score.",
    },
    rank: {
      type: Int,
      nullable: true,
      description: "The card's rank by this lane alone, 1 is best; null if the lane was not requested.",
    },
  },
);

export const SearchHit = outputType<domain.SearchHit>('SearchHit', 'A card that was found, with the reasons for it.', {
  card: { type: MistakeCard, description: 'The card as it is now.' },
  rank: { type: Int, description: 'The rank of the hit: 1 is best.' },
  score: {
    type: Float,
    description:
      'The similarity of query and card, from 0 to 1: the weighted mean over the lanes for which the card has a text, minus avoided similarity. If the hit was reranked: 0.7 times that, plus 0.3 times the sigmoid of the logit.',
  },
  verdict: { type: VerdictEnum, description: 'How the hit is related to the query, derived from its lanes.' },
  lanes: {
    type: [LaneScore],
    description:
      'Every lane for which the card has a text, with its exact score, and the requested inferred lanes, if labels could be inferred.',
  },
  rerankLogit: {
    type: Float,
    nullable: true,
    description: "The cross-encoder's raw logit; null if the hit was not reranked.",
  },
  layer: {
    type: RecallLayerEnum,
    nullable: true,
    description: 'The layer that found the hit; null unless the strategy is LAYERED.',
  },
  threshold: {
    type: Float,
    nullable: true,
    description: 'The threshold step that the hit reached; null if no step applied.',
  },
});

const LayerTrial = outputType<domain.LayerTrial>('LayerTrial', 'One layer of a layered search and its outcome.', {
  layer: { type: RecallLayerEnum, description: 'The layer.' },
  admitted: { type: Int, description: 'Number of cards that it added to those of the layers before it.' },
  threshold: {
    type: Float,
    nullable: true,
    description: 'The lowest threshold step that it reached; null if no step applied or the layer failed.',
  },
  tookMs: { type: Float, description: 'How long it took, in milliseconds.' },
});

export const Degradation = outputType<domain.Degradation>(
  'Degradation',
  'A part that failed or was too late, and the consequence.',
  {
    part: { type: String, description: 'The part, such as "chroma".' },
    reason: { type: String, description: 'What went wrong, and what the result lacks because of it.' },
  },
);

const StageTiming = outputType<domain.StageTiming>(
  'StageTiming',
  'How long a stage of a search took.',
  {
    stage: {
      type: String,
      description: 'The stage, such as "embed" or "retrieve".',
      deprecationReason: 'Use `name`. Deprecated on 2026-11-23.',
    },
    tookMs: { type: Float, description: 'How long it took, in milliseconds.' },
  },
  {
    name: { type: SearchStageEnum, description: 'The stage.', of: ({ stage }) => stage },
  },
);

const SearchReceipt = outputType<domain.SearchReceipt, 'inferredLabels'>(
  'SearchReceipt',
  'How a search was executed.',
  {
    requestedTopK: { type: Int, description: 'The requested number of hits.' },
    profile: {
      type: String,
      nullable: true,
      description:
        'The search profile that was used: the requested one, "learned" if weights learned from the notebook were used, else the default one.',
    },
    strategy: { type: RecallStrategyEnum, description: 'How candidates were generated.' },
    fusion: { type: FusionEnum, description: 'How the lanes were combined into one score.' },
    retrievers: {
      type: [String],
      description:
        'Which retrievers were asked for candidates: "chroma" or, for a small tenant, "postgres" (nearest neighbours), "lexical" (BM25), "label" (cards of the most likely labels), "exact" (every card, or every card that matches the filter, was scored).',
      deprecationReason: 'Use `retrievedBy`. Deprecated on 2026-11-23.',
    },
    filterPlan: {
      type: String,
      description:
        'How the filter was applied: "none" without a filter, "exact" if every matching card was scored in memory, "overfetch" if more candidates were fetched and those that do not match were dropped.',
      deprecationReason: 'Use `filtering`. Deprecated on 2026-11-23.',
    },
    matchedByFilter: {
      type: Int,
      nullable: true,
      description:
        'Number of cards that match the filter, according to the index: a change counts once it is indexed, while hits are checked at the moment of the answer. Null without a filter.',
    },
    candidates: { type: Int, description: 'How many cards were scored.' },
    thresholdsTried: {
      type: [Float],
      description: 'The threshold steps that were tried, descending; empty if minScore was given.',
    },
    coversLabels: {
      type: Boolean,
      description:
        'Whether the second or third hit comes before hits with better scores, as the best card of another label that the text may be about: see coverLabels.',
    },
    nothingClose: {
      type: Boolean,
      description:
        'Whether the no-answer gate found that the text has no more in common with any candidate than by chance. There are no hits then. False with thresholdSteps or minScore, which bypass the gate, and for a card as query.',
    },
    layers: {
      type: [LayerTrial],
      description: 'The layers that were tried, in order; empty unless the strategy is LAYERED.',
    },
    expandedQuery: {
      type: String,
      nullable: true,
      description: 'The query with corrected spelling and added words; null if it is unchanged.',
    },
    inferredConcepts: {
      type: [String],
      description:
        'The topic tags and error types inferred for the query, the most likely first, at most 5; empty if the query is a card that has labels.',
    },
    rewrites: { type: [String], description: 'The rewrites of the query that were searched for in addition.' },
    embeddingModel: {
      type: String,
      description: 'The model that made the vectors, with its dimensions, number type and version.',
    },
    rerankModel: {
      type: String,
      nullable: true,
      description: 'The cross-encoder that reranked the hits; null if none did.',
    },
    degraded: { type: [Degradation], description: 'Parts that failed or were too late; empty if none did.' },
    tookMs: { type: Float, description: 'How long the search took, in milliseconds.' },
    stages: { type: [StageTiming], description: 'How long each stage took, in the order in which they ran.' },
  },
  {
    retrievedBy: {
      type: [RetrieverEnum],
      description: 'Which retrievers were asked for candidates.',
      of: ({ retrievers }) => retrievers,
    },
    filtering: { type: FilterPlanEnum, description: 'How the filter was applied.', of: ({ filterPlan }) => filterPlan },
  },
);

export const SearchResult = outputType<SearchPage, 'hasMore'>('SearchResult', 'The result of a search.', {
  hits: { type: [SearchHit], description: 'The cards that were found, best first.' },
  pageInfo: {
    type: PageInfo,
    description:
      'Position of these hits in the whole list, which ends after 200. With the strategy LAYERED, the last page may be empty.',
  },
  receipt: { type: SearchReceipt, description: 'How the search was executed.' },
});
