import { GraphQLDateTime } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import type { Language } from '../../src/domain/language.js';
import { ATTEMPT_FIELDS, type AttemptKind, type ServeMode } from '../../src/domain/practice.js';
import { CardFilter } from '../cards/card-filter.input.js';
import { pageArgs } from '../connection.js';
import { LanguageEnum } from '../tutoring/tutoring.enums.js';
import { ServeModeEnum } from './practice.enums.js';

@InputType({ description: 'An attempt at a card.' })
export class AttemptInput {}

const TYPES = {
  name: String,
  owner: ID,
  card: ID,
  text: String,
  flag: Boolean,
  hints: Int,
  milliseconds: Int,
  moment: GraphQLDateTime,
} satisfies Record<AttemptKind, unknown>;

for (const [field, { kind, about, ...declared }] of Object.entries(ATTEMPT_FIELDS)) {
  Field(() => TYPES[kind], { nullable: 'absent' in declared, description: about })(AttemptInput.prototype, field);
}

/** The arguments of `dueCards`. */
@ArgsType()
export class DueCardsArgs extends pageArgs(20) {
  @Field(() => GraphQLDateTime, { nullable: true, description: 'A time on the requested day; by default now.' })
  at?: Date | null;

  @Field(() => ServeModeEnum, {
    nullable: true,
    defaultValue: 'CARD',
    description: 'SIBLING looks for a sibling of each card; then `first` is at most 20.',
  })
  serve?: ServeMode | null;

  @Field(() => CardFilter, { nullable: true, description: 'Restricts the cards; all by default.' })
  filter?: CardFilter | null;
}

/** The arguments of `practiceLadder`: one of the first three. */
@ArgsType()
export class PracticeLadderArgs {
  @Field(() => ID, { nullable: true, description: 'The mistake that the ladder trains.' })
  fromCardId?: string | null;

  @Field(() => String, { nullable: true, description: 'The topic tag that the ladder trains.' })
  topicTag?: string | null;

  @Field(() => String, { nullable: true, description: 'The error type that the ladder trains.' })
  errorType?: string | null;

  @Field(() => Int, { nullable: true, defaultValue: 8, description: 'Maximum number of rungs, from 1 to 30.' })
  first?: number | null;

  @Field(() => LanguageEnum, { nullable: true, description: 'The language of the reasons. By default EN.' })
  language?: Language | null;
}

/** The arguments of `mastery`. */
@ArgsType()
export class MasteryArgs extends pageArgs(50) {
  @Field(() => ID, {
    nullable: true,
    description: 'The student; by default the viewer. Teachers and admins may name others.',
  })
  owner?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Only these topic tags. Error types are then returned only if errorTypes is given.',
  })
  topicTags?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Only these error types. Topic tags are then returned only if topicTags is given.',
  })
  errorTypes?: string[] | null;
}
