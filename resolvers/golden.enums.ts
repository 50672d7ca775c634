import { registerEnumType } from 'type-graphql';
import type { Relevance } from '../src/domain/golden.js';
import type { SearchOperation } from '../src/domain/search.js';

/** The searches by the names of their fields. */
export const SearchOperationEnum = {
  similarQuestions: 'similarQuestions',
  bySolution: 'bySolution',
  byConcept: 'byConcept',
  byError: 'byError',
  hybridSearch: 'hybridSearch',
} as const satisfies { readonly [O in SearchOperation]: O };

registerEnumType(SearchOperationEnum, {
  name: 'SearchOperation',
  description: 'A search, by the name of its field.',
  valuesConfig: {
    similarQuestions: { description: 'Cards with a similar question.' },
    bySolution: { description: 'Cards that were solved in a similar way.' },
    byConcept: { description: 'Cards that train the same knowledge points.' },
    byError: { description: 'Cards with the same kind of error.' },
    hybridSearch: { description: 'All perspectives, weighed against each other.' },
  },
});

export const RelevanceEnum = {
  SAME_MISTAKE: 'SAME_MISTAKE',
  RELATED: 'RELATED',
  NOT_THE_SAME: 'NOT_THE_SAME',
  WRONG_LABEL: 'WRONG_LABEL',
} as const satisfies { readonly [R in Relevance]: R };

registerEnumType(RelevanceEnum, {
  name: 'Relevance',
  description: 'A judgement of a hit.',
  valuesConfig: {
    SAME_MISTAKE: { description: 'Relevant: grade 2.' },
    RELATED: { description: 'Helpful, though not the same: grade 1.' },
    NOT_THE_SAME: { description: 'Not relevant: grade 0.' },
    WRONG_LABEL: { description: 'Found by a topic tag or an error type that the card should not have: grade 0.' },
  },
});
