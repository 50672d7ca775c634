import { registerEnumType } from 'type-graphql';
import type { EvaluationJob } from '../src/domain/ports/evaluation.js';
import type { RankingKind } from '../src/evaluation/measured.js';
import type { Metric } from '../src/evaluation/metrics.js';
import type { Slice } from '../src/evaluation/slices.js';

/** The states of an evaluation as GraphQL names them. */
export const EvaluationStateEnum = {
  RUNNING: 'RUNNING',
  DONE: 'DONE',
  FAILED: 'FAILED',
} as const satisfies { readonly [S in EvaluationJob['state']]: S };

registerEnumType(EvaluationStateEnum, {
  name: 'EvaluationState',
  description: 'The state of an evaluation.',
  valuesConfig: {
    RUNNING: { description: 'It is running; done and total give the progress.' },
    DONE: { description: 'The report is available.' },
    FAILED: { description: 'It ended without a report; error says why.' },
  },
});

export const MetricEnum = {
  NDCG_AT_10: 'ndcgAt10',
  MRR: 'mrr',
  RECALL_AT_5: 'recallAt5',
  RECALL_AT_10: 'recallAt10',
  RECALL_AT_K: 'recallAtK',
  PRECISION_AT_10: 'precisionAt10',
  ZERO_RESULT_RATE: 'zeroResultRate',
  DUPLICATE_RATE: 'duplicateRate',
  TOPICS: 'topics',
} as const satisfies Record<string, Metric>;

registerEnumType(MetricEnum, {
  name: 'Metric',
  description: 'A metric of an evaluation.',
  valuesConfig: {
    NDCG_AT_10: { description: 'The nDCG of the first 10 hits, from 0 to 1.' },
    MRR: { description: 'The mean reciprocal rank of the first relevant hit, from 0 to 1.' },
    RECALL_AT_5: { description: 'The share of the relevant cards among the first 5 hits.' },
    RECALL_AT_10: { description: 'The share of the relevant cards among the first 10 hits.' },
    RECALL_AT_K: { description: 'The share of the relevant cards among the first k hits.' },
    PRECISION_AT_10: { description: 'The share of the first 10 hits that are relevant.' },
    ZERO_RESULT_RATE: { description: 'The share of searches without a hit.' },
    DUPLICATE_RATE: { description: 'The share of the first hits that ask the question of another one.' },
    TOPICS: { description: 'How many topic tags the first hits have.' },
  },
});

export const RankingKindEnum = {
  SEARCH: 'search',
  LANE: 'lane',
  BASELINE: 'baseline',
} as const satisfies Record<Uppercase<RankingKind>, RankingKind>;

registerEnumType(RankingKindEnum, {
  name: 'RankingKind',
  description: 'What made a ranking.',
  valuesConfig: {
    SEARCH: { description: 'The search of clients.' },
    LANE: { description: 'One of its lanes alone.' },
    BASELINE: { description: 'Plain BM25.' },
  },
});

export const SliceEnum = {
  OPERATION: 'operation',
  PERSPECTIVE: 'perspective',
  GRADE: 'grade',
  SUBJECT: 'subject',
  LANGUAGE: 'language',
} as const satisfies Record<Uppercase<Slice>, Slice>;

registerEnumType(SliceEnum, {
  name: 'Slice',
  description: 'What the cases of an evaluation are grouped by.',
  valuesConfig: {
    OPERATION: { description: 'The search operation.' },
    PERSPECTIVE: { description: 'The perspective of the relevant cards.' },
    GRADE: { description: 'The school grade.' },
    SUBJECT: { description: 'The school subject.' },
    LANGUAGE: { description: 'The language of the query.' },
  },
});
