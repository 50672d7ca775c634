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
import { computed, deprecated, field, graphqlEnum, nullable, outputType } from '../types.js';
import type { SearchPage } from './search-page.js';

export const FilterPlanEnum = graphqlEnum<domain.FilterPlan>('FilterPlan', 'How a search applied its filter.', {
  none: 'There was no filter.',
  exact: 'Hits were chosen among all matching cards: each was scored, at least by a first pass in memory.',
  overfetch: 'More candidates were fetched, and those that do not match the filter were dropped.',
});

const RetrieverEnum = graphqlEnum<domain.RetrieverName>(
  'Retriever',
  'A component that generates candidates for a search.',
  {
    chroma: 'The nearest neighbours of the vectors in Chroma.',
    postgres: 'The nearest neighbours of a small tenant, whose vectors are in PostgreSQL.',
    lexical: 'BM25.',
    label: 'The cards of the most likely labels.',
    exact: 'Scores every card, or every card that matches the filter; the best ones, or all, become candidates.',
  },
);

export const SearchStageEnum = graphqlEnum<domain.SearchStage>('SearchStage', 'A stage of a search.', {
  rewrite: 'The chat model rewrites the query.',
  plan: 'The planner chooses between exact scoring and retrievers by their costs.',
  embed: 'The query is converted to vectors and terms.',
  retrieve: 'Retrievers propose candidates.',
  layers: 'Layers propose and score candidates, one after the other.',
  filter: 'Candidates that do not match the filter are dropped.',
  score: 'Every candidate is scored in each lane.',
  label: 'The likely labels of the query are inferred.',
  fuse: 'The lanes are combined into one score.',
  cut: 'The no-answer gate, lane quotas and thresholds decide where the list ends.',
  hydrate: 'The best cards are read from the database.',
  rerank: 'A cross-encoder scores the best cards.',
  select: 'Quality and diversity choose among them.',
  explain: 'The hits are scored in the remaining lanes.',
});

const LaneScore = outputType<domain.LaneScore>(
  'LaneScore',
  'The score of a card in one lane, and its contribution to the score of the hit.',
  {
    perspective: field(PerspectiveEnum, 'The perspective that the lane compares.'),
    kind: field(LaneKindEnum, 'How the lane compares.'),
    score: field(Float, 'The similarity in this lane alone, from 0 to 1.'),
    weight: field(
      Float,
      "The lane's weight in this search, from 0 to 1; 0 if it was not requested, negative if similarity is avoided.",
    ),
    contribution: field(
      Float,
      "The lane's part of the hit's score; negative if similarity is avoided. The contributions of a hit add up to its fused score; with rewrites of expandWith, to that of the first search that found it.",
    ),
    rank: nullable(
      Int,
      "The card's rank by this lane alone among the candidates, of which there are more with a greater topK; 1 is best. Null if the lane was not requested.",
    ),
  },
);

const SearchHit = outputType<domain.SearchHit>('SearchHit', 'A card that was found, with the reasons for it.', {
  card: field(MistakeCard, 'The card as it is now.'),
  rank: field(Int, 'The rank of the hit: 1 is best.'),
  score: field(
    Float,
    'The similarity of query and card, from 0 to 1: the weighted mean over the lanes for which the card has a text, minus avoided similarity. If the hits were reranked: 0.7 times that, plus 0.3 times the sigmoid of the logit for the first 20. With rewrites of expandWith, the weighted mean of these scores over the searches, 0 in those that did not find the card.',
  ),
  verdict: field(VerdictEnum, 'How the hit is related to the query, derived from its lanes.'),
  lanes: field(
    [LaneScore],
    'Every lane for which the card has a text, with its exact score, and the requested inferred lanes, if labels could be inferred.',
  ),
  rerankLogit: nullable(
    Float,
    "The cross-encoder's raw logit; null if the hit was not among those that were reranked.",
  ),
  layer: nullable(RecallLayerEnum, 'The layer that found the hit; null unless the strategy is LAYERED.'),
  threshold: nullable(Float, 'The threshold step that the hit reached; null if no step applied.'),
});

const LayerTrial = outputType<domain.LayerTrial>('LayerTrial', 'One layer of a layered search and its outcome.', {
  layer: field(RecallLayerEnum, 'The layer.'),
  admitted: field(Int, 'Number of cards that it added to those of the layers before it.'),
  threshold: nullable(Float, 'The lowest threshold step that it reached; null if no step applied or the layer failed.'),
  tookMs: field(Float, 'How long it took, in milliseconds.'),
});

export const Degradation = outputType<domain.Degradation>(
  'Degradation',
  'A part that failed or was too late, and the consequence.',
  {
    part: field(String, 'The part, such as "chroma".'),
    reason: field(String, 'What went wrong, and what the result lacks because of it.'),
  },
);

const StageTiming = outputType<domain.StageTiming>(
  'StageTiming',
  'How long a stage of a search took.',
  {
    stage: field(String, 'The stage, such as "embed" or "retrieve".', deprecated('`name`')),
    tookMs: field(Float, 'How long it took, in milliseconds.'),
  },
  {
    name: computed(SearchStageEnum, 'The stage.', ({ stage }) => stage),
  },
);

const SearchReceipt = outputType<domain.SearchReceipt, 'inferredLabels'>(
  'SearchReceipt',
  'How a search was executed.',
  {
    requestedTopK: field(Int, 'The requested number of hits.'),
    profile: nullable(
      String,
      'The search profile that was used: the requested one, "learned" if weights learned from the notebook were used, else the default one.',
    ),
    strategy: field(RecallStrategyEnum, 'How candidates were generated.'),
    fusion: field(FusionEnum, 'How the lanes were combined into one score.'),
    retrievers: field(
      [String],
      'Which retrievers were asked for candidates: "chroma" or, for a small tenant, "postgres" (nearest neighbours), "lexical" (BM25), "label" (cards of the most likely labels), "exact" (every card, or every card that matches the filter, was scored).',
      deprecated('`retrievedBy`'),
    ),
    filterPlan: field(
      String,
      'How the filter was applied: "none" without a filter, "exact" if every matching card was scored in memory, "overfetch" if more candidates were fetched and those that do not match were dropped.',
      deprecated('`filtering`'),
    ),
    matchedByFilter: nullable(
      Int,
      'Number of cards that match the filter, according to the index: a change counts once it is indexed, while hits are checked at the moment of the answer. Null without a filter.',
    ),
    candidates: field(
      Int,
      'Number of candidates: the cards that were scored from their stored vectors in every lane with a weight, and ranked. The retriever EXACT compares more cards in a first pass.',
    ),
    thresholdsTried: field([Float], 'The threshold steps that were tried, descending; empty if minScore was given.'),
    coversLabels: field(
      Boolean,
      'Whether the second or third hit comes before hits with better scores, as the best card of another label that the text may be about: see coverLabels.',
    ),
    nothingClose: field(
      Boolean,
      'Whether the no-answer gate found that the text has no more in common with any candidate than by chance. There are no hits then. False with thresholdSteps or minScore, which bypass the gate, and for a card as query.',
    ),
    layers: field([LayerTrial], 'The layers that were tried, in order; empty unless the strategy is LAYERED.'),
    expandedQuery: nullable(
      String,
      'The query with corrected spelling and added words, without requests and thanks around it; null if it is unchanged.',
    ),
    inferredConcepts: field(
      [String],
      'The topic tags and error types inferred for the query, the most likely first, at most 5; of a card as query, those of the kinds of labels that it lacks.',
    ),
    rewrites: field([String], 'The rewrites of the query that were searched for in addition.'),
    embeddingModel: field(String, 'The model that made the vectors, with its dimensions, number type and version.'),
    rerankModel: nullable(String, 'The cross-encoder that reranked the hits; null if none did.'),
    degraded: field([Degradation], 'Parts that failed or were too late; empty if none did.'),
    tookMs: field(Float, 'How long the search took, in milliseconds.'),
    stages: field([StageTiming], 'How long each stage took, in the order in which they ran.'),
  },
  {
    retrievedBy: computed(
      [RetrieverEnum],
      'Which retrievers were asked for candidates.',
      ({ retrievers }) => retrievers,
    ),
    filtering: computed(FilterPlanEnum, 'How the filter was applied.', ({ filterPlan }) => filterPlan),
  },
);

export const SearchResult = outputType<SearchPage, 'hasMore'>('SearchResult', 'The result of a search.', {
  hits: field([SearchHit], 'The cards that were found, best first.'),
  pageInfo: field(
    PageInfo,
    'Position of these hits in the whole list, which ends after 200. With the strategy LAYERED, the last page may be empty.',
  ),
  receipt: field(SearchReceipt, 'How the search was executed.'),
});
