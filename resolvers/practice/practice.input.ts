import { GraphQLDateTime } from 'graphql-scalars';
import { ID, Int } from 'type-graphql';
import { ATTEMPT_FIELDS, type AttemptKind } from '../../src/domain/practice.js';
import { CardFilter } from '../cards/card-filter.input.js';
import { pageFields } from '../connection.js';
import { LanguageEnum } from '../tutoring/tutoring.enums.js';
import { argsType, inputType, nullable } from '../types.js';
import { ServeModeEnum } from './practice.enums.js';

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

const attemptFields = Object.entries(ATTEMPT_FIELDS).map(
  ([field, { kind, about, ...declared }]) =>
    [field, { type: TYPES[kind], nullable: 'absent' in declared, description: about }] as const,
);

export const AttemptInput = inputType('AttemptInput', 'An attempt at a card.', Object.fromEntries(attemptFields));

/** The arguments of `dueCards`. */
export const DueCardsArgs = argsType({
  ...pageFields(20),
  at: nullable(GraphQLDateTime, 'A time on the requested day; by default now.'),
  serve: nullable(ServeModeEnum, 'SIBLING looks for a sibling of each card; then `first` is at most 20.', {
    defaultValue: 'CARD',
  }),
  filter: nullable(CardFilter, 'Restricts the cards; all by default.'),
});

/** The arguments of `practiceLadder`: one of the first three. */
export const PracticeLadderArgs = argsType({
  fromCardId: nullable(ID, 'The mistake that the ladder trains.'),
  topicTag: nullable(String, 'The topic tag that the ladder trains.'),
  errorType: nullable(String, 'The error type that the ladder trains.'),
  first: nullable(Int, 'Maximum number of rungs, from 1 to 30.', { defaultValue: 8 }),
  language: nullable(LanguageEnum, 'The language of the reasons. By default EN.'),
});

/** The arguments of `mastery`. */
export const MasteryArgs = argsType({
  ...pageFields(50),
  owner: nullable(ID, 'The student; by default the viewer. Teachers and admins may name others.'),
  topicTags: nullable([String], 'Only these topic tags. Error types are then returned only if errorTypes is given.'),
  errorTypes: nullable([String], 'Only these error types. Topic tags are then returned only if topicTags is given.'),
});
