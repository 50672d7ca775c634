import { ArgsType, Field, Float, ID, InputType, Int } from 'type-graphql';
import type { Fusion, QueryExpansion, RecallStrategy } from '../src/domain/search.js';
import { CardFilter } from './card-filter.input.js';
import { FusionEnum, QueryExpansionEnum, RecallStrategyEnum } from './enums.js';
import { PerspectiveWeights } from './profile.type.js';

@InputType({ description: 'How a search chooses among the cards that it found. Everything may be left out.' })
export class SearchOptions {
  @Field(() => FusionEnum, { nullable: true, description: 'How the lanes become one score. By default WEIGHTED.' })
  fusion?: Fusion | null;

  @Field(() => RecallStrategyEnum, { nullable: true, description: 'How candidates are collected. By default FUSED.' })
  strategy?: RecallStrategy | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'How much the words count beside the embedding vectors, from 0 (vectors alone, and no label is inferred) to 1 (words and inferred labels alone). By default 0.6, with a semantic model 0.5.',
  })
  lexicalShare?: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'Leaves out hits whose score by the fusion WEIGHTED is below this, from 0 to 1. Where it is given, thresholdSteps do not apply.',
  })
  minScore?: number | null;

  @Field(() => [Float], {
    nullable: true,
    description:
      'What the score by the fusion WEIGHTED must reach: the first of these steps that minResults hits reach, at most 10, descending, each from 0 to 1. What reaches none of them is no hit; [0] lets every candidate be one. By default the steps of the embedding model.',
  })
  thresholdSteps?: number[] | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'How many hits make a threshold step enough, from 0 to 50; no more than topK are ever needed. By default as many as topK, or 5 where thresholdSteps are given or the strategy is LAYERED.',
  })
  minResults?: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'How much novelty counts beside likeness (maximal marginal relevance), from 0 (not at all) to 1 (alone, after the first hit). By default 0.',
  })
  diversity?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether a cross-encoder has a say in the order. Where none is set, the order stands and the receipt says so. By default false.',
  })
  rerank?: boolean | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'Words that sharpen the query in the lexical lanes, where each counts as if the query said it twice: at most 20, each of 1 to 100 characters.',
  })
  keywords?: string[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether the topic tags and error types that the query is about are inferred, and synonyms of its words are asked for too. By default true.',
  })
  expand?: boolean | null;

  @Field(() => QueryExpansionEnum, {
    nullable: true,
    description:
      'Has the chat model of the gateway write other queries for the text, which are searched for beside it. Without an answer within 1 s, or without a chat model, the search is as without it, and the receipt says so. By default off.',
  })
  expandWith?: QueryExpansion | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'How many candidates each lane may bring, from 1 to 1000: the best of every lane are heard, and the others are left out. By default as many as the search needs.',
  })
  perLane?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether quality grade, then recency, decide among hits whose scores are less than 0.02 apart, and FAIR cards are left out where enough others remain. By default false.',
  })
  preferQuality?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether the second and third hit of a text may be the best card of another label that it may be about, although its score is lower: in byConcept, byError and hybridSearch, unless thresholdSteps, diversity, rerank, avoid, another fusion or LAYERED decide the order. False: by score alone. By default true.',
  })
  coverLabels?: boolean | null;

  @Field(() => PerspectiveWeights, {
    nullable: true,
    description:
      'Contrast: where a hit should not be like the query, on the scale of the weights of the search. A perspective is either searched for or avoided. Example, with byError: {question: 0.5} finds the same error in questions that look different. By default nothing is avoided.',
  })
  avoid?: PerspectiveWeights | null;
}

/** The arguments of every search. */
@ArgsType()
export class SearchArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Words to search for: up to 16384 bytes of UTF-8, as a question. Give either text or cardId.',
  })
  text?: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'A card to search from: what it says in each perspective is searched for, and the card never finds itself. Give either text or cardId.',
  })
  cardId?: string | null;

  @Field(() => Int, { nullable: true, defaultValue: 5, description: 'How many hits to answer at most, from 1 to 200.' })
  topK?: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The endCursor of the previous page, of the same search: what changed meanwhile is found, and no hit comes twice. topK may differ. By default the first page.',
  })
  after?: string | null;

  @Field(() => CardFilter, { nullable: true, description: 'Which cards may be answered; every card by default.' })
  filter?: CardFilter | null;

  @Field(() => SearchOptions, { nullable: true, description: 'How to choose among the cards that were found.' })
  options?: SearchOptions | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The search profile that decides what options and weights do not say. "plain-vectors" goes back to plain vector search. By default the one that the gateway was started with.',
  })
  profile?: string | null;
}

/** The arguments of the search that weighs the perspectives. */
@ArgsType()
export class HybridSearchArgs extends SearchArgs {
  @Field(() => PerspectiveWeights, {
    nullable: true,
    description:
      'How much each perspective counts; one weight must be above 0. By default question 0.6, solution 0.2, concept 0.2 and error 0.',
  })
  weights?: PerspectiveWeights | null;
}
