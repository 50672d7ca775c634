import { GraphQLDateTime } from 'graphql-scalars';
import { ID, Int } from 'type-graphql';
import * as domain from '../../src/domain/golden.js';
import type { JudgedHit as Judged, UndoneJudgement as Undone } from '../../src/domain/ports/evaluation.js';
import { GoldenFilter, goldenFilter } from '../cards/card-filter.input.js';
import { connectionType } from '../connection.js';
import { PerspectiveEnum } from '../enums.js';
import { outputType } from '../types.js';
import { SearchOperationEnum } from './evaluation.enums.js';

const Judgement = outputType<domain.Judgement>('Judgement', 'The grade of one card in a case.', {
  cardId: { type: ID, description: 'The judged card; it may have been deleted since.' },
  grade: { type: Int, description: 'The relevance, from 0 (not relevant) to 10: the gain of nDCG.' },
  reason: { type: String, nullable: true, description: 'The reason given by the person who judged.' },
});

export const GoldenCase = outputType<domain.GoldenCase, 'subject' | 'judgements'>(
  'GoldenCase',
  'A query with the cards that it should find.',
  {
    id: { type: ID, description: 'The id of the case, unique within its set.' },
    operation: { type: SearchOperationEnum, description: 'The search operation.' },
    filter: { type: GoldenFilter, description: 'The filter of the search.', of: ({ filter }) => goldenFilter(filter) },
    perspective: {
      type: PerspectiveEnum,
      nullable: true,
      description:
        'The perspective in which the relevant cards are similar to the query; null for the perspective of the search.',
    },
    reason: {
      type: String,
      nullable: true,
      description: 'Why these cards are relevant, or where the case comes from.',
    },
  },
  {
    text: {
      type: String,
      nullable: true,
      description: 'The text of the query; null for a card.',
      of: ({ subject }) => domain.writtenSubject(subject).text,
    },
    cardId: {
      type: ID,
      nullable: true,
      description: 'The card used as query; null for a text.',
      of: ({ subject }) => domain.writtenSubject(subject).cardId,
    },
    relevant: {
      type: [Judgement],
      description: 'The judged cards. A case without a grade above 0 still needs to be judged.',
      of: ({ judgements }) => judgements,
    },
  },
);

export const GoldenCaseConnection = connectionType('GoldenCase', GoldenCase, {
  description: 'A page of the cases of a set, as a Relay connection.',
  one: 'case',
  many: 'cases',
});

/** The page of an earlier version of the API. */
export interface CasePage {
  readonly nodes: readonly domain.GoldenCase[];
  readonly next: string | null;
}

export const GoldenCasePage = outputType<CasePage>('GoldenCasePage', 'Some cases of a set, in their order.', {
  nodes: { type: [GoldenCase], description: 'The cases.' },
  next: {
    type: String,
    nullable: true,
    description: 'Pass it as `after` for the next cases; null where there are no more.',
  },
});

export const GoldenSet = outputType<domain.GoldenSet, 'cases' | 'judgedCases' | 'judgements'>(
  'GoldenSet',
  'A named set of queries with the cards that they should find.',
  {
    name: { type: String, description: 'The name of the set.' },
    description: { type: String, nullable: true, description: 'The purpose of the set.' },
    createdAt: { type: GraphQLDateTime, description: 'When the set was created.' },
    updatedAt: { type: GraphQLDateTime, description: 'When it was last changed.' },
  },
  {
    caseCount: { type: Int, description: 'How many cases there are.', of: ({ cases }) => cases },
    judgedCaseCount: {
      type: Int,
      description: 'Number of cases that can be measured: those with a grade above 0.',
      of: ({ judgedCases }) => judgedCases,
    },
    judgementCount: {
      type: Int,
      description: 'Number of judged cards, over all cases.',
      of: ({ judgements }) => judgements,
    },
  },
);

export const JudgedHit = outputType<Judged, 'goldenCase'>(
  'JudgedHit',
  'The result of judging a hit.',
  {
    judgementId: { type: ID, description: 'The id to pass to undoJudgement.' },
    set: { type: String, description: 'The golden set of the judgement.' },
  },
  {
    case: {
      type: GoldenCase,
      description: 'The case of the search, with all of its judgements.',
      of: ({ goldenCase }) => goldenCase,
    },
  },
);

export const UndoneJudgement = outputType<Undone, 'goldenCase'>(
  'UndoneJudgement',
  'The result of undoing a judgement.',
  {
    set: { type: String, description: 'The golden set of the judgement.' },
  },
  {
    case: {
      type: GoldenCase,
      nullable: true,
      description: 'The case afterwards; null if judging had created it and no judgement is left.',
      of: ({ goldenCase }) => goldenCase,
    },
  },
);
