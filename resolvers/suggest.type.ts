import { Field, Float, Int, ObjectType } from 'type-graphql';
import type { TagSuggestion as DomainSuggestion } from '../src/domain/ports/gateway.js';
import { PerspectiveEnum } from './enums.js';

@ObjectType({ description: 'A suggested label.', simpleResolvers: true })
export class TagSuggestion {
  @Field(() => String, { description: 'The label.' })
  tag!: string;

  @Field(() => PerspectiveEnum, { description: 'CONCEPT for a topic tag, ERROR for an error type.' })
  perspective!: DomainSuggestion['perspective'];

  @Field(() => Float, {
    description: 'How well the text fits the cards with this label, from 0 to 1.',
  })
  score!: number;

  @Field(() => Int, { description: 'Number of cards with the label.' })
  cards!: number;
}
