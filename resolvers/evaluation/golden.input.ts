import { ID, Int } from 'type-graphql';
import { CardFilter } from '../cards/card-filter.input.js';
import { PerspectiveEnum } from '../enums.js';
import { argsType, inputType } from '../types.js';
import { RelevanceEnum, SearchOperationEnum } from './evaluation.enums.js';

const JudgementInput = inputType('JudgementInput', 'The grade of a card in a case.', {
  cardId: { type: ID, description: 'The card; each once in a case, and never the query card.' },
  grade: { type: Int, description: 'From 0 (not relevant) to 10: the gain of nDCG.' },
  reason: { type: String, nullable: true, description: 'Why.' },
});

const QUERY = {
  operation: { type: SearchOperationEnum, description: 'The search.' },
  text: { type: String, nullable: true, description: 'The text of the query. Give either text or cardId.' },
  cardId: { type: ID, nullable: true, description: 'The card used as query. Give either text or cardId.' },
  filter: { type: CardFilter, nullable: true, description: 'The filter of the search.' },
};

const GoldenQueryInput = inputType('GoldenQueryInput', 'The search that returned the hit.', QUERY);

export const GoldenCaseInput = inputType('GoldenCaseInput', 'A query with the cards that it should find.', {
  ...QUERY,
  id: {
    type: ID,
    nullable: true,
    description:
      'An id that no other case of the set has, in the format of a card id. An existing case with this id is replaced. By default the id of the case that judgeHit creates for this query.',
  },
  perspective: {
    type: PerspectiveEnum,
    nullable: true,
    description: 'The perspective in which the relevant cards are similar to the query. By default that of the search.',
  },
  relevant: { type: [JudgementInput], nullable: true, description: 'The judged cards: at most 5000.' },
  reason: { type: String, nullable: true, description: 'Why these cards are relevant.' },
});

export const SaveGoldenSetInput = inputType('SaveGoldenSetInput', 'A golden set to create or to change.', {
  name: { type: String, description: 'The name of the set: 1 to 100 characters.' },
  description: { type: String, nullable: true, description: 'The purpose of the set; if omitted, it is kept.' },
  cases: {
    type: [GoldenCaseInput],
    nullable: true,
    description: 'At most 500 cases, which replace all cases of the set. If omitted, the cases are kept.',
  },
});

/** The arguments of `judgeHit`. */
export const JudgeHitArgs = argsType({
  query: { type: GoldenQueryInput, description: 'The search that returned the hit.' },
  cardId: { type: ID, description: 'The card of the hit.' },
  relevance: { type: RelevanceEnum, description: 'The judgement.' },
  reason: { type: String, nullable: true, description: 'Why.' },
  set: {
    type: String,
    nullable: true,
    description: 'The golden set of the judgement; created if it does not exist. By default "judged".',
  },
});
