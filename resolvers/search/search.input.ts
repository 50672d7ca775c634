import { Float, ID, Int } from 'type-graphql';
import { CardFilter } from '../cards/card-filter.input.js';
import { FusionEnum, QueryExpansionEnum, RecallStrategyEnum } from '../enums.js';
import { argsType, type InputFields, inputType, nullable } from '../types.js';
import { PerspectiveWeights } from './profile.type.js';

export const SearchOptions = inputType('SearchOptions', 'Options of a search. All are optional.', {
  fusion: nullable(FusionEnum, 'How the lanes are combined into one score. By default WEIGHTED.'),
  strategy: nullable(RecallStrategyEnum, 'How candidates are generated. By default FUSED.'),
  lexicalShare: nullable(
    Float,
    'The weight of lexical lanes against dense lanes, from 0 (vectors only, and no labels are inferred) to 1 (words and inferred labels only). By default 0.6, with a semantic model 0.5.',
  ),
  minScore: nullable(
    Float,
    'Minimum score of hits by the fusion WEIGHTED, from 0 to 1. If it is given, thresholdSteps do not apply.',
  ),
  thresholdSteps: nullable(
    [Float],
    'Minimum scores by the fusion WEIGHTED, descending, at most 10, each from 0 to 1: the first one that minResults hits reach applies. A card that reaches none of them is not a hit; with [0] every candidate is a hit. By default the steps of the embedding model.',
  ),
  minResults: nullable(
    Int,
    'Number of hits at which a threshold step is accepted, from 0 to 50; topK hits always suffice. By default topK, or 5 if thresholdSteps are given or the strategy is LAYERED.',
  ),
  diversity: nullable(
    Float,
    'The weight of novelty against similarity (maximal marginal relevance), from 0 to 1 (only novelty, after the first hit). Without effect if rewrites of expandWith are searched for. By default 0.',
  ),
  rerank: nullable(
    Boolean,
    'Whether a cross-encoder reranks the hits. If none is configured, the order does not change and the receipt says so. By default false.',
  ),
  keywords: nullable(
    [String],
    'Words that count in the lexical lanes as if they occurred twice in the query: at most 20, each of 1 to 100 characters.',
  ),
  expand: nullable(
    Boolean,
    'Whether topic tags and error types are inferred for the query, its spelling is corrected, requests and thanks around it, its source and its marks are left out, and synonyms of its words are added. By default true.',
  ),
  expandWith: nullable(
    QueryExpansionEnum,
    'The chat model of the gateway writes additional queries for the text. If it does not answer within 1 s, or no chat model is configured, the search runs without them, and the receipt says so. By default off.',
  ),
  perLane: nullable(
    Int,
    'Maximum number of candidates per lane, from 1 to 1000: hits are only cards among the best of some lane, or with the same score as the last of these, as is usual in label lanes. By default as many as the search needs.',
  ),
  preferQuality: nullable(
    Boolean,
    'Whether quality grade, then recency, decide between hits whose scores differ by less than 0.02, and FAIR cards are omitted if enough others remain. By default false.',
  ),
  coverLabels: nullable(
    Boolean,
    'Whether the second and third hit of a text may be the best card of another label that it may be about, although its score is lower: in byConcept, byError and hybridSearch, unless thresholdSteps, diversity, rerank, avoid, another fusion or LAYERED decide the order, or rewrites of expandWith are searched for. False: by score alone. By default true.',
  ),
  avoid: nullable(
    PerspectiveWeights,
    'Perspectives in which a hit should differ from the query, with weights on the same scale as those of the search. A perspective is either searched for or avoided. Example for byError: {question: 0.5} finds the same error in questions that look different. None by default.',
  ),
});

const SEARCH = {
  text: nullable(String, 'The text to search for: up to 16384 bytes of UTF-8. Give either text or cardId.'),
  cardId: nullable(
    ID,
    'A card to search from: its text in each perspective is the query, and the card itself is not a hit. BAD_USER_INPUT if it has no text in any perspective of the search. Give either text or cardId.',
  ),
  topK: nullable(Int, 'Maximum number of hits, from 1 to 200.', { defaultValue: 5 }),
  after: nullable(
    String,
    'The endCursor of the previous page of the same search; topK may differ. Changes made meanwhile are taken into account, and no hit is returned twice. By default the first page.',
  ),
  filter: nullable(CardFilter, 'Restricts which cards may be hits; every card by default.'),
  options: nullable(SearchOptions, 'Search options.'),
  profile: nullable(
    String,
    'The search profile: defaults for omitted options and weights. "plain-vectors" is plain vector search. By default the one set by SEARCH_PROFILE; where that is "default", searches for a text may use "learned".',
  ),
} satisfies InputFields;

export const SearchArgs = argsType(SEARCH);
export type SearchArgs = InstanceType<typeof SearchArgs>;

export const HybridSearchArgs = argsType({
  ...SEARCH,
  weights: nullable(
    PerspectiveWeights,
    'The weight of each perspective; one must be above 0. By default question 0.6, solution 0.2, concept 0.2 and error 0.',
  ),
});
