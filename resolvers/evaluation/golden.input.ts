import { ID, Int } from 'type-graphql';
import { CardFilter } from '../cards/card-filter.input.js';
import { PerspectiveEnum } from '../enums.js';
import { argsType, field, inputType, nullable } from '../types.js';
import { RelevanceEnum, SearchOperationEnum } from './evaluation.enums.js';

const JudgementInput = inputType('JudgementInput', 'The grade of a card in a case.', {
  cardId: field(ID, 'The card; each once in a case, and never the query card.'),
  grade: field(Int, 'From 0 (not relevant) to 10: the gain of nDCG.'),
  reason: nullable(String, 'Why.'),
});

const QUERY = {
  operation: field(SearchOperationEnum, 'The search.'),
  text: nullable(String, 'The text of the query. Give either text or cardId.'),
  cardId: nullable(ID, 'The card used as query. Give either text or cardId.'),
  filter: nullable(CardFilter, 'The filter of the search.'),
};

const GoldenQueryInput = inputType('GoldenQueryInput', 'The search that returned the hit.', QUERY);

export const GoldenCaseInput = inputType('GoldenCaseInput', 'A query with the cards that it should find.', {
  ...QUERY,
  id: nullable(
    ID,
    'An id that no other case of the set has, in the format of a card id. An existing case with this id is replaced. By default the id of the case that judgeHit creates for this query.',
  ),
  perspective: nullable(
    PerspectiveEnum,
    'The perspective in which the relevant cards are similar to the query. By default that of the search.',
  ),
  relevant: nullable([JudgementInput], 'The judged cards: at most 5000.'),
  reason: nullable(String, 'Why these cards are relevant.'),
});

export const SaveGoldenSetInput = inputType('SaveGoldenSetInput', 'A golden set to create or to change.', {
  name: field(String, 'The name of the set: 1 to 100 characters.'),
  description: nullable(String, 'The purpose of the set; if omitted, it is kept.'),
  cases: nullable(
    [GoldenCaseInput],
    'At most 500 cases, which replace all cases of the set. If omitted, the cases are kept.',
  ),
});

/** The arguments of `judgeHit`. */
export const JudgeHitArgs = argsType({
  query: field(GoldenQueryInput, 'The search that returned the hit.'),
  cardId: field(ID, 'The card of the hit.'),
  relevance: field(RelevanceEnum, 'The judgement.'),
  reason: nullable(String, 'Why.'),
  set: nullable(String, 'The golden set of the judgement; created if it does not exist. By default "judged".'),
});
