import { GraphQLDateTime } from 'graphql-scalars';
import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { Card } from '../../src/domain/card.js';
import type { LabelKind } from '../../src/domain/labels.js';
import { MistakeCard } from '../cards/card.type.js';
import { LabelKindEnum } from './practice.enums.js';

@ObjectType({
  description:
    'How often something happened in the last 28 days before `to`, and in the 28 before, whatever `from` is.',
  simpleResolvers: true,
})
export class MistakeTrend {
  @Field(() => Int, { description: 'In the last 28 days.' })
  recent!: number;

  @Field(() => Int, { description: 'In the 28 days before them.' })
  previous!: number;

  @Field(() => Float, { description: 'The ratio of recent to previous, with half a mistake added to each.' })
  ratio!: number;

  @Field(() => Float, {
    description: 'The lower end of its 95 % interval: above 1, it happens more often than before.',
  })
  low!: number;

  @Field(() => Float, {
    description: 'The upper end of its 95 % interval: below 1, it happens less often than before.',
  })
  high!: number;
}

@ObjectType({ description: 'How often an error happened in a topic.', simpleResolvers: true })
export class FingerprintCell {
  @Field(() => String, { description: 'The error type.' })
  errorType!: string;

  @Field(() => String, { nullable: true, description: 'The topic; null for cards without topic tags.' })
  topicTag!: string | null;

  @Field(() => Int, { description: 'Mistakes whose error type is stored: occurrences of cards and wrong attempts.' })
  mistakes!: number;

  @Field(() => Int, { description: 'Mistakes whose error type was inferred from the text of their card.' })
  inferred!: number;

  @Field(() => GraphQLDateTime, { description: 'When it last happened.' })
  lastAt!: Date;

  @Field(() => MistakeTrend, { description: 'Whether it happens more often than in the 28 days before.' })
  trend!: MistakeTrend;

  @Field(() => [MistakeCard], { description: 'The cards of the latest mistakes, at most 3.' })
  cards!: Card[];
}

@ObjectType({ description: 'An error that is worth working on.', simpleResolvers: true })
export class WorthWorkingOn extends FingerprintCell {
  @Field(() => Float, {
    description:
      'Recent mistakes, each counting half as much every 30 days, times the probability of failing the next card.',
  })
  score!: number;

  @Field(() => Float, { description: 'The probability that the student solves a card of this topic now.' })
  successProbability!: number;
}

@ObjectType({
  description: 'An error that came back after right answers to cards that have it.',
  simpleResolvers: true,
})
export class RepeatOffence {
  @Field(() => String, { description: 'The error.' })
  errorType!: string;

  @Field(() => Int, { description: 'Number of times that it came back.' })
  times!: number;

  @Field(() => GraphQLDateTime, { description: 'When it last came back.' })
  lastAt!: Date;

  @Field(() => Int, { description: 'Number of right answers between the last two occurrences.' })
  rightBetween!: number;

  @Field(() => MistakeCard, { description: 'The card of the last occurrence.' })
  card!: Card;
}

@ObjectType({ description: 'The mistakes of a student: errors by topics.', simpleResolvers: true })
export class MistakeFingerprint {
  @Field(() => [FingerprintCell], { description: 'The most frequent errors and topics, at most 100.' })
  cells!: FingerprintCell[];

  @Field(() => [WorthWorkingOn], { description: 'The three errors that are most worth working on.' })
  mostWorth!: WorthWorkingOn[];

  @Field(() => [RepeatOffence], { description: 'Errors that came back after right answers, at most 50.' })
  repeatOffences!: RepeatOffence[];

  @Field(() => Int, { description: 'Mistakes without any error type.' })
  unlabelled!: number;
}

@ObjectType({
  description: 'A label, with the number of students of a class who made mistakes with it.',
  simpleResolvers: true,
})
export class ClassLabel {
  @Field(() => LabelKindEnum, { description: 'Whether it is a topic tag or an error type.' })
  kind!: LabelKind;

  @Field(() => String, { description: 'The label.' })
  name!: string;

  @Field(() => Int, { description: 'How many students made mistakes with it.' })
  students!: number;

  @Field(() => Int, { description: 'How many mistakes they made.' })
  mistakes!: number;
}

@ObjectType({ description: 'A question that many of a class got wrong.', simpleResolvers: true })
export class ClassQuestion {
  @Field(() => MistakeCard, { description: 'One of the cards with this question.' })
  card!: Card;

  @Field(() => Int, { description: 'How many students got it wrong.' })
  students!: number;

  @Field(() => Int, { description: 'How many mistakes they made.' })
  mistakes!: number;
}

@ObjectType({ description: 'A student who makes many mistakes in a topic.', simpleResolvers: true })
export class NeedsHelp {
  @Field(() => ID, { description: 'The student.' })
  ownerId!: string;

  @Field(() => String, { description: 'The topic.' })
  topicTag!: string;

  @Field(() => Int, { description: 'The mistakes.' })
  mistakes!: number;

  @Field(() => Int, { description: 'The attempts at cards of the topic.' })
  attempts!: number;

  @Field(() => Int, { description: 'The right ones among them.' })
  right!: number;
}

@ObjectType({ description: 'How the mistakes with a label have changed.', simpleResolvers: true })
export class ClassChange {
  @Field(() => LabelKindEnum, { description: 'Whether it is a topic tag or an error type.' })
  kind!: LabelKind;

  @Field(() => String, { description: 'The label.' })
  name!: string;

  @Field(() => Int, { description: 'Mistakes in the last 7 days.' })
  thisWeek!: number;

  @Field(() => Int, { description: 'Mistakes in the 7 days before them.' })
  lastWeek!: number;
}

@ObjectType({ description: 'The mistakes of a class.', simpleResolvers: true })
export class ClassOverview {
  @Field(() => Int, { description: 'Number of students with mistakes or attempts in the period.' })
  students!: number;

  @Field(() => [ClassLabel], { description: 'The errors that most students made, at most 20.' })
  errors!: ClassLabel[];

  @Field(() => [ClassLabel], { description: 'The topics in which most students made mistakes, at most 20.' })
  topics!: ClassLabel[];

  @Field(() => [ClassQuestion], { description: 'The questions that most got wrong, at most 10.' })
  questions!: ClassQuestion[];

  @Field(() => [NeedsHelp], {
    description: 'Students with three or more mistakes in a topic and fewer right answers, at most 30.',
  })
  needsHelp!: NeedsHelp[];

  @Field(() => [ClassChange], {
    description: 'What has changed in the week before `to` since the week before that, whatever `from` is; at most 20.',
  })
  changes!: ClassChange[];

  @Field(() => Int, {
    description:
      'Number of labels and questions that are omitted because they concern fewer than minStudents students.',
  })
  suppressed!: number;

  @Field(() => Int, { description: 'The setting CLASS_MIN_STUDENTS.' })
  minStudents!: number;
}

@ObjectType({ description: 'A named set of students, such as a class.', simpleResolvers: true })
export class StudentGroup {
  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => [ID], { description: 'The students.' })
  owners!: string[];
}

@InputType({ description: 'A group to create or replace.' })
export class StudentGroupInput {
  @Field(() => String, { description: 'Its name: 1 to 100 characters.' })
  name!: string;

  @Field(() => [ID], { description: 'The students: 1 to 200.' })
  owners!: string[];
}
