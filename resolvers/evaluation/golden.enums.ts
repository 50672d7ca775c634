import type { Relevance } from '../../src/domain/golden.js';
import type { SearchOperation } from '../../src/domain/search.js';
import { graphqlEnum } from '../graphql-enum.js';

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
