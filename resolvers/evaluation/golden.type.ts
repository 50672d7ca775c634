import { GraphQLDateTime } from 'graphql-scalars';
import { ID, Int } from 'type-graphql';
import * as domain from '../../src/domain/golden.js';
import { encodeCursor } from '../../src/domain/page.js';
import type { JudgedHit as Judged, UndoneJudgement as Undone } from '../../src/domain/ports/evaluation.js';
import { nextTurn } from '../../src/domain/steps.js';
import { GoldenFilter, goldenFilter } from '../cards/card-filter.input.js';
import { connectionType } from '../connection.js';
import { PerspectiveEnum } from '../enums.js';
import { computed, field, nullable, outputType } from '../types.js';
import { SearchOperationEnum } from './evaluation.enums.js';

const Judgement = outputType<domain.Judgement>('Judgement', 'The grade of one card in a case.', {
  cardId: field(ID, 'The judged card; it may have been deleted since.'),
  grade: field(Int, 'The relevance, from 0 (not relevant) to 10: the gain of nDCG.'),
  reason: nullable(String, 'The reason given by the person who judged.'),
});

/** More are completed in a turn of their own: graphql-js completes a list in one, and a page may have 15,000. */
const MANY_JUDGEMENTS = 100;

export const GoldenCase = outputType<domain.GoldenCase, 'subject' | 'judgements'>(
  'GoldenCase',
  'A query with the cards that it should find.',
  {
    id: field(ID, 'The id of the case, unique within its set.'),
    operation: field(SearchOperationEnum, 'The search operation.'),
    filter: computed(GoldenFilter, 'The filter of the search.', ({ filter }) => goldenFilter(filter)),
    perspective: nullable(
      PerspectiveEnum,
      'The perspective in which the relevant cards are similar to the query; null for the perspective of the search.',
    ),
    reason: nullable(String, 'Why these cards are relevant, or where the case comes from.'),
  },
  {
    text: computed(
      String,
      'The text of the query; null for a card.',
      ({ subject }) => domain.writtenSubject(subject).text,
      { nullable: true },
    ),
    cardId: computed(
      ID,
      'The card used as query; null for a text.',
      ({ subject }) => domain.writtenSubject(subject).cardId,
      { nullable: true },
    ),
    relevant: computed(
      [Judgement],
      'The judged cards. A case without a grade above 0 still needs to be judged.',
      async ({ judgements }) => {
        if (judgements.length > MANY_JUDGEMENTS) await nextTurn();
        return judgements;
      },
    ),
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
  nodes: field([GoldenCase], 'The cases.'),
  next: nullable(String, 'Pass it as `after` for the next cases; null if there are no more.'),
});

export const GoldenSet = outputType<domain.GoldenSet>(
  'GoldenSet',
  'A named set of queries with the cards that they should find.',
  {
    name: field(String, 'The name of the set.'),
    description: nullable(String, 'The purpose of the set.'),
    createdAt: field(GraphQLDateTime, 'When the set was created.'),
    updatedAt: field(GraphQLDateTime, 'When it was last changed.'),
  },
  {
    cursor: computed(
      String,
      'The position of the set in goldenSets: pass that of the last one as `after` for the next.',
      ({ name }) => encodeCursor([name]),
    ),
  },
);

export const JudgedHit = outputType<Judged, 'goldenCase'>(
  'JudgedHit',
  'The result of judging a hit.',
  {
    judgementId: field(ID, 'The id to pass to undoJudgement.'),
    set: field(String, 'The golden set of the judgement.'),
  },
  {
    case: computed(GoldenCase, 'The case of the search, with all of its judgements.', ({ goldenCase }) => goldenCase),
  },
);

export const UndoneJudgement = outputType<Undone, 'goldenCase'>(
  'UndoneJudgement',
  'The result of undoing a judgement.',
  {
    set: field(String, 'The golden set of the judgement.'),
  },
  {
    case: computed(
      GoldenCase,
      'The case afterwards; null if judging had created it and no judgement is left.',
      ({ goldenCase }) => goldenCase,
      { nullable: true },
    ),
  },
);
