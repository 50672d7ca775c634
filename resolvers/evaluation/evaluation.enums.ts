import type { Relevance } from '../../src/domain/golden.js';
import type { EvaluationJob } from '../../src/domain/ports/evaluation.js';
import type { SearchOperation } from '../../src/domain/search.js';
import type { RankingKind } from '../../src/evaluation/measure-case.js';
import type { Metric } from '../../src/evaluation/metrics.js';
import type { Slice } from '../../src/evaluation/slices.js';
import { graphqlEnum } from '../types.js';

export const SearchOperationEnum = graphqlEnum<SearchOperation>(
  'SearchOperation',
  'A kind of search, by the name of its field.',
  {
    similarQuestions: 'Cards with a similar question.',
    bySolution: 'Cards with a similar wrong solution or reference solution.',
    byConcept: 'Cards that train the same knowledge points.',
    byError: 'Cards with the same kind of error.',
    hybridSearch: 'Cards that are similar in a weighted combination of the four perspectives.',
  },
  (value) => value,
);

export const RelevanceEnum = graphqlEnum<Relevance>('Relevance', 'A judgement of a hit.', {
  SAME_MISTAKE: 'Relevant: grade 2.',
  RELATED: 'Helpful, but not the same: grade 1.',
  NOT_THE_SAME: 'Not relevant: grade 0.',
  WRONG_LABEL: 'Found by a topic tag or an error type that the card should not have: grade 0.',
});

export const EvaluationStateEnum = graphqlEnum<EvaluationJob['state']>(
  'EvaluationState',
  'The state of an evaluation.',
  {
    RUNNING: 'It is running; done and total give the progress.',
    DONE: 'The report is available.',
    FAILED: 'It ended without a report; error says why.',
  },
);

export const MetricEnum = graphqlEnum<Metric>('Metric', 'A metric of an evaluation.', {
  ndcgAt10: 'The nDCG of the first 10 hits, from 0 to 1.',
  mrr: 'The mean reciprocal rank of the first relevant hit, from 0 to 1.',
  recallAt5: 'The share of the relevant cards among the first 5 hits.',
  recallAt10: 'The share of the relevant cards among the first 10 hits.',
  recallAtK: 'The share of the relevant cards among the first k hits.',
  precisionAt10: 'The share of the first 10 hits that are relevant.',
  zeroResultRate: 'The share of searches without a hit.',
  duplicateRate: 'The share of the first hits that ask the question of another one.',
  topics: 'How many topic tags the first hits have.',
});

export const RankingKindEnum = graphqlEnum<RankingKind>('RankingKind', 'What made a ranking.', {
  search: 'The search of clients.',
  lane: 'One of its lanes alone.',
  baseline: 'Plain BM25.',
});

export const SliceEnum = graphqlEnum<Slice>('Slice', 'What the cases of an evaluation are grouped by.', {
  operation: 'The search operation.',
  perspective: 'The perspective of the relevant cards.',
  grade: 'The school grade.',
  subject: 'The school subject.',
  language: 'The language of the query.',
});
