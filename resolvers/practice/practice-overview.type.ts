import { GraphQLDateTime } from 'graphql-scalars';
import { Float, ID, Int } from 'type-graphql';
import type { StudentGroup as Group } from '../../src/domain/ports/practice.js';
import type { ClassReport, MistakeFingerprint as Fingerprint } from '../../src/practice/overview-service.js';
import { MistakeCard } from '../cards/card.type.js';
import type { OutputFields } from '../types.js';
import { inputType, outputType } from '../types.js';
import { LabelKindEnum } from './practice.enums.js';

type Cell = Fingerprint['cells'][number];

const MistakeTrend = outputType<Cell['trend']>(
  'MistakeTrend',
  'How often something happened in the last 28 days before `to`, and in the 28 before, whatever `from` is.',
  {
    recent: { type: Int, description: 'In the last 28 days.' },
    previous: { type: Int, description: 'In the 28 days before them.' },
    ratio: { type: Float, description: 'The ratio of recent to previous, with half a mistake added to each.' },
    low: {
      type: Float,
      description: 'The lower end of its 95 % interval: above 1, it happens more often than before.',
    },
    high: {
      type: Float,
      description: 'The upper end of its 95 % interval: below 1, it happens less often than before.',
    },
  },
);

const CELL: OutputFields<Cell> = {
  errorType: { type: String, description: 'The error type.' },
  topicTag: { type: String, nullable: true, description: 'The topic; null for cards without topic tags.' },
  mistakes: { type: Int, description: 'Mistakes whose error type is stored: occurrences of cards and wrong attempts.' },
  inferred: { type: Int, description: 'Mistakes whose error type was inferred from the text of their card.' },
  lastAt: { type: GraphQLDateTime, description: 'When it last happened.' },
  trend: { type: MistakeTrend, description: 'Whether it happens more often than in the 28 days before.' },
  cards: { type: [MistakeCard], description: 'The cards of the latest mistakes, at most 3.' },
};

const FingerprintCell = outputType<Cell>('FingerprintCell', 'How often an error happened in a topic.', CELL);

const WorthWorkingOn = outputType<Fingerprint['mostWorth'][number]>(
  'WorthWorkingOn',
  'An error that is worth working on.',
  {
    ...CELL,
    score: {
      type: Float,
      description:
        'Recent mistakes, each counting half as much every 30 days, times the probability of failing the next card.',
    },
    successProbability: {
      type: Float,
      description: 'The probability that the student solves a card of this topic now.',
    },
  },
);

const RepeatOffence = outputType<Fingerprint['repeatOffences'][number]>(
  'RepeatOffence',
  'An error that came back after right answers to cards that have it.',
  {
    errorType: { type: String, description: 'The error.' },
    times: { type: Int, description: 'Number of times that it came back.' },
    lastAt: { type: GraphQLDateTime, description: 'When it last came back.' },
    rightBetween: { type: Int, description: 'Number of right answers between the last two occurrences.' },
    card: { type: MistakeCard, description: 'The card of the last occurrence.' },
  },
);

export const MistakeFingerprint = outputType<Fingerprint>(
  'MistakeFingerprint',
  'The mistakes of a student: errors by topics.',
  {
    cells: { type: [FingerprintCell], description: 'The most frequent errors and topics, at most 100.' },
    mostWorth: { type: [WorthWorkingOn], description: 'The three errors that are most worth working on.' },
    repeatOffences: { type: [RepeatOffence], description: 'Errors that came back after right answers, at most 50.' },
    unlabelled: { type: Int, description: 'Mistakes without any error type.' },
  },
);

const ClassLabel = outputType<ClassReport['errors'][number]>(
  'ClassLabel',
  'A label, with the number of students of a class who made mistakes with it.',
  {
    kind: { type: LabelKindEnum, description: 'Whether it is a topic tag or an error type.' },
    name: { type: String, description: 'The label.' },
    students: { type: Int, description: 'How many students made mistakes with it.' },
    mistakes: { type: Int, description: 'How many mistakes they made.' },
  },
);

const ClassQuestion = outputType<ClassReport['questions'][number]>(
  'ClassQuestion',
  'A question that many of a class got wrong.',
  {
    card: { type: MistakeCard, description: 'One of the cards with this question.' },
    students: { type: Int, description: 'How many students got it wrong.' },
    mistakes: { type: Int, description: 'How many mistakes they made.' },
  },
);

const NeedsHelp = outputType<ClassReport['needsHelp'][number]>(
  'NeedsHelp',
  'A student who makes many mistakes in a topic.',
  {
    ownerId: { type: ID, description: 'The student.' },
    topicTag: { type: String, description: 'The topic.' },
    mistakes: { type: Int, description: 'The mistakes.' },
    attempts: { type: Int, description: 'The attempts at cards of the topic.' },
    right: { type: Int, description: 'The right ones among them.' },
  },
);

const ClassChange = outputType<ClassReport['changes'][number]>(
  'ClassChange',
  'How the mistakes with a label have changed.',
  {
    kind: { type: LabelKindEnum, description: 'Whether it is a topic tag or an error type.' },
    name: { type: String, description: 'The label.' },
    thisWeek: { type: Int, description: 'Mistakes in the last 7 days.' },
    lastWeek: { type: Int, description: 'Mistakes in the 7 days before them.' },
  },
);

export const ClassOverview = outputType<ClassReport>('ClassOverview', 'The mistakes of a class.', {
  students: { type: Int, description: 'Number of students with mistakes or attempts in the period.' },
  errors: { type: [ClassLabel], description: 'The errors that most students made, at most 20.' },
  topics: { type: [ClassLabel], description: 'The topics in which most students made mistakes, at most 20.' },
  questions: { type: [ClassQuestion], description: 'The questions that most got wrong, at most 10.' },
  needsHelp: {
    type: [NeedsHelp],
    description: 'Students with three or more mistakes in a topic and fewer right answers, at most 30.',
  },
  changes: {
    type: [ClassChange],
    description: 'What has changed in the week before `to` since the week before that, whatever `from` is; at most 20.',
  },
  suppressed: {
    type: Int,
    description:
      'Number of labels and questions that are omitted because they concern fewer than minStudents students.',
  },
  minStudents: { type: Int, description: 'The setting CLASS_MIN_STUDENTS.' },
});

export const StudentGroup = outputType<Group>('StudentGroup', 'A named set of students, such as a class.', {
  name: { type: String, description: 'Its name.' },
  owners: { type: [ID], description: 'The students.' },
});

export const StudentGroupInput = inputType('StudentGroupInput', 'A group to create or replace.', {
  name: { type: String, description: 'Its name: 1 to 100 characters.' },
  owners: { type: [ID], description: 'The students: 1 to 200.' },
});
