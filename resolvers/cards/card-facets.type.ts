import { Field, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'A value and its number of cards.', simpleResolvers: true })
export class FacetCount {
  @Field(() => String, { description: 'The value as stored in the cards; for difficulties the number.' })
  value!: string;

  @Field(() => Int, { description: 'Number of cards with the value.' })
  count!: number;
}

@ObjectType({
  description: 'Number of cards for each value, the most frequent value first. Values without cards are absent.',
  simpleResolvers: true,
})
export class CardFacets {
  @Field(() => Int, { description: 'Number of cards counted.' })
  total!: number;

  @Field(() => [FacetCount], { description: 'The cards by subject.' })
  subject!: FacetCount[];

  @Field(() => [FacetCount], { description: 'The cards by grade, without those that have none.' })
  grade!: FacetCount[];

  @Field(() => [FacetCount], { description: 'The cards by difficulty.' })
  difficulty!: FacetCount[];

  @Field(() => [FacetCount], { description: 'The cards by topic tag; a card counts once for each of its tags.' })
  topicTag!: FacetCount[];

  @Field(() => [FacetCount], {
    description: 'The cards by error type; a card counts once for each of its error types.',
  })
  errorType!: FacetCount[];
}
