import { registerEnumType } from 'type-graphql';
import { type FilterPlan, type RetrieverName, SEARCH_STAGES, type SearchStage } from '../src/domain/search-result.js';

export const FilterPlanEnum = {
  NONE: 'none',
  EXACT: 'exact',
  OVERFETCH: 'overfetch',
} as const satisfies Record<Uppercase<FilterPlan>, FilterPlan>;

registerEnumType(FilterPlanEnum, {
  name: 'FilterPlan',
  description: 'How a search applied its filter.',
  valuesConfig: {
    NONE: { description: 'There was no filter.' },
    EXACT: { description: 'Every matching card was scored.' },
    OVERFETCH: { description: 'More candidates were fetched, and those that do not match were dropped.' },
  },
});

export const RetrieverEnum = {
  CHROMA: 'chroma',
  POSTGRES: 'postgres',
  LEXICAL: 'lexical',
  LABEL: 'label',
  EXACT: 'exact',
} as const satisfies Record<Uppercase<RetrieverName>, RetrieverName>;

registerEnumType(RetrieverEnum, {
  name: 'Retriever',
  description: 'What proposes candidates to a search.',
  valuesConfig: {
    CHROMA: { description: 'The nearest neighbours of the vectors in Chroma.' },
    POSTGRES: { description: 'The same for a small tenant, whose vectors are in PostgreSQL.' },
    LEXICAL: { description: 'BM25.' },
    LABEL: { description: 'The cards of the most likely labels.' },
    EXACT: { description: 'Every card, or every card that matches the filter.' },
  },
});

export const SearchStageEnum = {
  REWRITE: 'rewrite',
  PLAN: 'plan',
  EMBED: 'embed',
  RETRIEVE: 'retrieve',
  LAYERS: 'layers',
  FILTER: 'filter',
  SCORE: 'score',
  LABEL: 'label',
  FUSE: 'fuse',
  CUT: 'cut',
  HYDRATE: 'hydrate',
  RERANK: 'rerank',
  SELECT: 'select',
  EXPLAIN: 'explain',
} as const satisfies Record<Uppercase<SearchStage>, SearchStage>;

registerEnumType(SearchStageEnum, {
  name: 'SearchStage',
  description: 'A stage of a search.',
  valuesConfig: {
    REWRITE: { description: 'The chat model rewrites the query.' },
    PLAN: { description: 'Exact scoring or retrievers are chosen by their costs.' },
    EMBED: { description: 'The query becomes vectors and terms.' },
    RETRIEVE: { description: 'Retrievers propose candidates.' },
    LAYERS: { description: 'Layers propose and score candidates, one after the other.' },
    FILTER: { description: 'Candidates that do not match are dropped.' },
    SCORE: { description: 'Every candidate is scored in each lane.' },
    LABEL: { description: 'The likely labels of the query are inferred.' },
    FUSE: { description: 'The lanes become one score.' },
    CUT: { description: 'It is decided where the list ends.' },
    HYDRATE: { description: 'The best cards are read from the database.' },
    RERANK: { description: 'A cross-encoder scores the best cards.' },
    SELECT: { description: 'Quality and diversity choose among them.' },
    EXPLAIN: { description: 'The hits are scored in the remaining lanes.' },
  },
});

const STAGES: ReadonlySet<string> = new Set(SEARCH_STAGES);

/** A stage by its name; null for one of an earlier version, in a log of searches. */
export function stageOf(name: string): SearchStage | null {
  return STAGES.has(name) ? (name as SearchStage) : null;
}
