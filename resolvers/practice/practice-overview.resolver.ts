import { GraphQLDateTime } from 'graphql-scalars';
import { Arg, Args, Ctx, Float, ID, Int, Mutation, Query, Resolver, UseMiddleware } from 'type-graphql';
import { parseName } from '../../src/domain/parse/golden.js';
import { parseClass, parseOwner, parseStudentGroup, parseTime } from '../../src/domain/parse/practice.js';
import type { StudentGroup as Group, OverviewStore } from '../../src/domain/ports/practice.js';
import type {
  ClassReport,
  MistakeFingerprint as Fingerprint,
  OverviewService,
} from '../../src/practice/overview-service.js';
import { MistakeCard } from '../cards/card.type.js';
import type { Context } from '../context.js';
import { LabelKindEnum } from '../enums.js';
import { forStaff } from '../requests/guard.js';
import { argsType, field, inputType, nullable, type OutputFields, outputType } from '../types.js';

type Cell = Fingerprint['cells'][number];

const MistakeTrend = outputType<Cell['trend']>(
  'MistakeTrend',
  'How often something happened in the last 28 days before `to`, and in the 28 before, whatever `from` is.',
  {
    recent: field(Int, 'In the last 28 days.'),
    previous: field(Int, 'In the 28 days before them.'),
    ratio: field(Float, 'The ratio of recent to previous, with half a mistake added to each.'),
    low: field(Float, 'The lower end of its 95 % interval: above 1, it happens more often than before.'),
    high: field(Float, 'The upper end of its 95 % interval: below 1, it happens less often than before.'),
  },
);

const CELL: OutputFields<Cell> = {
  errorType: field(String, 'The error type.'),
  topicTag: nullable(String, 'The topic; null for cards without topic tags.'),
  mistakes: field(Int, 'Mistakes whose error type is stored: occurrences of cards and wrong attempts.'),
  inferred: field(Int, 'Mistakes whose error type was inferred from the text of their card.'),
  lastAt: field(GraphQLDateTime, 'When it last happened.'),
  trend: field(MistakeTrend, 'Whether it happens more often than in the 28 days before.'),
  cards: field([MistakeCard], 'The cards of the latest mistakes, at most 3.'),
};

const FingerprintCell = outputType<Cell>('FingerprintCell', 'How often an error happened in a topic.', CELL);

const WorthWorkingOn = outputType<Fingerprint['mostWorth'][number]>(
  'WorthWorkingOn',
  'An error that is worth working on.',
  {
    ...CELL,
    score: field(
      Float,
      'Recent mistakes, each counting half as much every 30 days, times the probability of failing the next card; inferred ones count half.',
    ),
    successProbability: field(Float, 'The probability that the student solves a card of this topic now.'),
  },
);

const RepeatOffence = outputType<Fingerprint['repeatOffences'][number]>(
  'RepeatOffence',
  'An error that came back after right answers to cards that have it.',
  {
    errorType: field(String, 'The error.'),
    times: field(Int, 'Number of times that it came back.'),
    lastAt: field(GraphQLDateTime, 'When it last came back.'),
    rightBetween: field(Int, 'Number of right answers between the last two occurrences.'),
    card: field(MistakeCard, 'The card of the last occurrence.'),
  },
);

const MistakeFingerprint = outputType<Fingerprint>(
  'MistakeFingerprint',
  'The mistakes of a student: errors by topics.',
  {
    cells: field([FingerprintCell], 'The most frequent errors and topics, at most 100.'),
    mostWorth: field([WorthWorkingOn], 'The three errors that are most worth working on.'),
    repeatOffences: field([RepeatOffence], 'Errors that came back after right answers, at most 50.'),
    unlabelled: field(Int, 'Mistakes without any error type.'),
  },
);

const ClassLabel = outputType<ClassReport['errors'][number]>(
  'ClassLabel',
  'A label, with the number of students of a class who made mistakes with it.',
  {
    kind: field(LabelKindEnum, 'Whether it is a topic tag or an error type.'),
    name: field(String, 'The label.'),
    students: field(Int, 'How many students made mistakes with it.'),
    mistakes: field(Int, 'How many mistakes they made.'),
  },
);

const ClassQuestion = outputType<ClassReport['questions'][number]>(
  'ClassQuestion',
  'A question that many of a class got wrong.',
  {
    card: field(MistakeCard, 'One of the cards with this question.'),
    students: field(Int, 'How many students got it wrong.'),
    mistakes: field(Int, 'How many mistakes they made.'),
  },
);

const NeedsHelp = outputType<ClassReport['needsHelp'][number]>(
  'NeedsHelp',
  'A student who makes many mistakes in a topic.',
  {
    ownerId: field(ID, 'The student.'),
    topicTag: field(String, 'The topic.'),
    mistakes: field(Int, 'The mistakes.'),
    attempts: field(Int, 'The attempts at cards of the topic.'),
    right: field(Int, 'The right ones among them.'),
  },
);

const ClassChange = outputType<ClassReport['changes'][number]>(
  'ClassChange',
  'How the mistakes with a label have changed.',
  {
    kind: field(LabelKindEnum, 'Whether it is a topic tag or an error type.'),
    name: field(String, 'The label.'),
    thisWeek: field(Int, 'Mistakes in the last 7 days.'),
    lastWeek: field(Int, 'Mistakes in the 7 days before them.'),
  },
);

const ClassOverview = outputType<ClassReport>(
  'ClassOverview',
  'The mistakes of a class. Of more than 50,000 wrong attempts, the latest 50,000 count.',
  {
    students: field(Int, 'Number of students with mistakes or attempts in the period.'),
    errors: field([ClassLabel], 'The errors that most students made, at most 20.'),
    topics: field([ClassLabel], 'The topics in which most students made mistakes, at most 20.'),
    questions: field([ClassQuestion], 'The questions that most got wrong, at most 10.'),
    needsHelp: field(
      [NeedsHelp],
      'Students with three or more mistakes in a topic and fewer right answers, at most 30; in the time that the latest 50,000 wrong attempts cover.',
    ),
    changes: field(
      [ClassChange],
      'What has changed in the week before `to` since the week before that, whatever `from` is; at most 20. Empty if the latest 50,000 wrong attempts do not reach back two weeks.',
    ),
    suppressed: field(
      Int,
      'Number of labels and questions that are omitted because they concern fewer than minStudents students.',
    ),
    minStudents: field(Int, 'The setting CLASS_MIN_STUDENTS.'),
  },
);

const StudentGroup = outputType<Group>('StudentGroup', 'A named set of students, such as a class.', {
  name: field(String, 'Its name.'),
  owners: field([ID], 'The students.'),
});

const StudentGroupInput = inputType('StudentGroupInput', 'A group to create or replace.', {
  name: field(String, 'Its name: 1 to 100 characters.'),
  owners: field([ID], 'The students: 1 to 200.'),
});

export type Overviews = Pick<OverviewService, 'fingerprint' | 'classOverview'>;
export type Groups = Pick<OverviewStore, 'groups' | 'saveGroup' | 'deleteGroup'>;

const TimeArgs = argsType({
  from: nullable(GraphQLDateTime, 'Start of the period; by default the first mistake.'),
  to: nullable(GraphQLDateTime, 'End of the period; by default now.'),
});

@Resolver()
export class OverviewResolver {
  constructor(
    private readonly overviews: Overviews,
    private readonly groups: Groups,
  ) {}

  @Query(() => MistakeFingerprint, {
    description: 'The mistakes of a student, from the occurrences of cards and wrong attempts.',
  })
  mistakeFingerprint(
    @Arg('owner', () => ID, {
      nullable: true,
      description: 'The student; by default the viewer. Teachers and admins may name others.',
    })
    owner: string | null,
    @Args(() => TimeArgs) { from, to }: InstanceType<typeof TimeArgs>,
    @Ctx() { viewer, signal }: Context,
  ): Promise<Fingerprint> {
    const time = parseTime({ from, to }, new Date());
    return this.overviews.fingerprint(viewer, parseOwner(owner, 'owner'), time, signal);
  }

  @UseMiddleware(forStaff)
  @Query(() => ClassOverview, { description: 'The mistakes of a class; for teachers and admins.' })
  classOverview(
    @Arg('group', () => String, { nullable: true, description: 'The name of a group. Give either group or owners.' })
    group: string | null,
    @Arg('owners', () => [ID], { nullable: true, description: 'The students: 1 to 200.' })
    owners: string[] | null,
    @Args(() => TimeArgs) { from, to }: InstanceType<typeof TimeArgs>,
    @Ctx() { viewer, signal }: Context,
  ): Promise<ClassReport> {
    const window = parseTime({ from, to }, new Date());
    return this.overviews.classOverview(viewer, { ...parseClass({ group, owners }), window }, signal);
  }

  @UseMiddleware(forStaff)
  @Query(() => [StudentGroup], { description: 'The groups of the school, by name; for teachers and admins.' })
  studentGroups(@Ctx() { viewer }: Context): Promise<readonly Group[]> {
    return this.groups.groups(viewer);
  }

  @UseMiddleware(forStaff)
  @Mutation(() => StudentGroup, {
    description: 'Creates a group, or replaces the one with this name; for teachers and admins.',
  })
  async saveStudentGroup(
    @Arg('input', () => StudentGroupInput, { description: 'The group.' }) input: object,
    @Ctx() { viewer }: Context,
  ): Promise<Group> {
    const group = parseStudentGroup(input, 'input');
    await this.groups.saveGroup(viewer, group);
    return group;
  }

  @UseMiddleware(forStaff)
  @Mutation(() => Boolean, { description: 'Deletes a group. False if there was none of this name.' })
  deleteStudentGroup(
    @Arg('name', () => String, { description: 'The name of the group.' }) name: string,
    @Ctx() { viewer }: Context,
  ): Promise<boolean> {
    return this.groups.deleteGroup(viewer, parseName(name, 'name'));
  }
}
