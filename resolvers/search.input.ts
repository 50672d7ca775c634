import { ArgsType, Field, Float, ID, InputType, Int } from 'type-graphql';
import { CardFilter } from './card-filter.input.js';

@InputType({
  description:
    'How much each perspective counts, from 0 (not at all) to 1000. Only the ratios matter, one weight must be above 0, and a perspective that is left out or null weighs 0. Example: {question: 3, concept: 1}.',
})
export class PerspectiveWeights {
  @Field(() => Float, { nullable: true, description: 'The weight of the question text.' })
  question?: number | null;

  @Field(() => Float, { nullable: true, description: 'The weight of the solutions.' })
  solution?: number | null;

  @Field(() => Float, { nullable: true, description: 'The weight of the topic tags.' })
  concept?: number | null;

  @Field(() => Float, { nullable: true, description: 'The weight of the error types.' })
  error?: number | null;
}

@InputType({ description: 'How a search chooses among the cards that it found.' })
export class SearchOptions {
  @Field(() => Float, {
    nullable: true,
    description: 'Leaves out hits whose score is below this, from 0 to 1. Left out or null, no hit is.',
  })
  minScore?: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'How much the words count beside the embedding vectors, from 0 (vectors alone, and no label is inferred) to 1 (words and inferred labels alone). By default 0.5.',
  })
  lexicalShare?: number | null;
}

/** The arguments of every search. */
@ArgsType()
export class SearchArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Words to search for: 1 to 2000 characters. Give either text or cardId.',
  })
  text?: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'A card to search from: what it says in each perspective is searched for, and the card never finds itself. Give either text or cardId.',
  })
  cardId?: string | null;

  @Field(() => Int, { nullable: true, defaultValue: 5, description: 'How many hits to answer at most, from 1 to 50.' })
  topK?: number | null;

  @Field(() => CardFilter, { nullable: true, description: 'Which cards may be answered; every card by default.' })
  filter?: CardFilter | null;

  @Field(() => SearchOptions, { nullable: true, description: 'How to choose among the cards that were found.' })
  options?: SearchOptions | null;
}

/** The arguments of the search that weighs the perspectives. */
@ArgsType()
export class HybridSearchArgs extends SearchArgs {
  @Field(() => PerspectiveWeights, {
    nullable: true,
    description: 'How much each perspective counts. By default question 0.6, solution 0.2, concept 0.2 and error 0.',
  })
  weights?: PerspectiveWeights | null;
}
