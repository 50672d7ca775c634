import { Field, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'A value and how many cards carry it.', simpleResolvers: true })
export class FacetCount {
  @Field(() => String, { description: 'The value as cards carry it; a difficulty is written as its number.' })
  value!: string;

  @Field(() => Int, { description: 'How many cards carry the value.' })
  count!: number;
}

@ObjectType({
  description:
    'How many cards carry each value, the most frequent value first. Values that no card carries are absent.',
  simpleResolvers: true,
})
export class CardFacets {
  @Field(() => Int, { description: 'How many cards were counted.' })
  total!: number;

  @Field(() => [FacetCount], { description: 'The cards by subject.' })
  subject!: FacetCount[];

  @Field(() => [FacetCount], { description: 'The cards by grade; cards without a grade are not among them.' })
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
