import type { FilterPlan, RetrieverName, SearchStage } from '../../src/domain/search-result.js';
import { graphqlEnum } from '../types.js';

export const FilterPlanEnum = graphqlEnum<FilterPlan>('FilterPlan', 'How a search applied its filter.', {
  none: 'There was no filter.',
  exact: 'Hits were chosen among all matching cards: each was scored, at least by a first pass in memory.',
  overfetch: 'More candidates were fetched, and those that do not match the filter were dropped.',
});

export const RetrieverEnum = graphqlEnum<RetrieverName>(
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

export const SearchStageEnum = graphqlEnum<SearchStage>('SearchStage', 'A stage of a search.', {
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
