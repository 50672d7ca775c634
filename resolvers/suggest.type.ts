import { Field, Float, Int, ObjectType } from 'type-graphql';
import type { TagSuggestion as DomainSuggestion } from '../src/domain/search.js';
import { PerspectiveEnum } from './enums.js';

@ObjectType({ description: 'A label that a text may deserve.', simpleResolvers: true })
export class TagSuggestion {
  @Field(() => String, { description: 'The label as cards carry it.' })
  tag!: string;

  @Field(() => PerspectiveEnum, { description: 'CONCEPT for a topic tag, ERROR for an error type.' })
  perspective!: DomainSuggestion['perspective'];

  @Field(() => Float, {
    description: 'How much of what the text says is what the cards with this label say, from 0 to 1.',
  })
  score!: number;

  @Field(() => Int, { description: 'How many cards carry the label.' })
  cards!: number;
}
