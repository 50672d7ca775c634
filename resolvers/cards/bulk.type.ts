import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { Card } from '../../src/domain/card.js';
import { type ErrorCode, ErrorCodeEnum } from '../error-code.enum.js';
import { UpdateCardInput } from './card.input.js';
import { MistakeCard } from './card.type.js';

@InputType({ description: 'One change of updateCards.' })
export class CardChangeInput {
  @Field(() => ID, { description: 'The card to change.' })
  id!: string;

  @Field(() => UpdateCardInput, { description: 'What to change.' })
  input!: UpdateCardInput;

  @Field(() => Int, {
    nullable: true,
    description: 'The revision that the change was made against; see updateCard.',
  })
  expectedRevision?: number | null;
}

@ObjectType({
  description: 'The error of one item of a bulk mutation, with the same fields as errors of the single mutation.',
  simpleResolvers: true,
})
export class ItemError {
  @Field(() => String, {
    description: 'The error code, such as BAD_USER_INPUT, NOT_FOUND or CONFLICT.',
    deprecationReason: 'Use `errorCode`. Deprecated on 2026-11-23.',
  })
  code!: string;

  @Field(() => ErrorCodeEnum, { description: 'The error code.' })
  errorCode!: ErrorCode;

  @Field(() => String, { description: 'What is wrong, in English.' })
  message!: string;

  @Field(() => String, { nullable: true, description: 'The invalid field, such as "inputs[3].difficulty".' })
  field!: string | null;

  @Field(() => ID, { nullable: true, description: 'CONFLICT: the card that the item is in conflict with.' })
  cardId!: string | null;

  @Field(() => Int, { nullable: true, description: 'CONFLICT of revisions: the current revision of the card.' })
  revision!: number | null;
}

@ObjectType({ description: 'The outcome of one item: the card, or the error.', simpleResolvers: true })
export class CardResult {
  @Field(() => MistakeCard, { nullable: true, description: 'The card as it is now, or null if the item failed.' })
  card!: Card | null;

  @Field(() => ItemError, { nullable: true, description: 'Null if the item succeeded.' })
  error!: ItemError | null;
}

@ObjectType({ description: 'The outcome of one deletion.', simpleResolvers: true })
export class DeleteResult {
  @Field(() => ID, { description: 'The id as it was given.' })
  id!: string;

  @Field(() => Boolean, {
    description: 'True if a card was deleted; false if there was none or the item failed.',
  })
  deleted!: boolean;

  @Field(() => ItemError, {
    nullable: true,
    description: 'Null if the item succeeded, also if there was no such card.',
  })
  error!: ItemError | null;
}
