import { GraphQLDateTime } from 'graphql-scalars';
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver, UseMiddleware } from 'type-graphql';
import { parseName } from '../../src/domain/parse/golden.js';
import { parseClass, parseOwner, parseStudentGroup, parseTime } from '../../src/domain/parse/practice.js';
import type { StudentGroup as Group } from '../../src/domain/ports/practice.js';
import type {
  ClassReport,
  MistakeFingerprint as Fingerprint,
  OverviewService,
} from '../../src/practice/overview-service.js';
import type { Context } from '../context.js';
import { forStaff } from '../requests/guard.js';
import { argsType, nullable } from '../types.js';
import { ClassOverview, MistakeFingerprint, StudentGroup, StudentGroupInput } from './practice-overview.type.js';

export type Overviews = Pick<OverviewService, 'fingerprint' | 'classOverview' | 'groups' | 'saveGroup' | 'deleteGroup'>;

/** A time that an overview is of. */
const TimeArgs = argsType({
  from: nullable(GraphQLDateTime, 'Start of the period; by default the first mistake.'),
  to: nullable(GraphQLDateTime, 'End of the period; by default now.'),
});

@Resolver()
export class OverviewResolver {
  constructor(private readonly overviews: Overviews) {}

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
    return this.overviews.groups(viewer);
  }

  @UseMiddleware(forStaff)
  @Mutation(() => StudentGroup, {
    description: 'Creates a group, or replaces the one with this name; for teachers and admins.',
  })
  saveStudentGroup(
    @Arg('input', () => StudentGroupInput, { description: 'The group.' }) input: object,
    @Ctx() { viewer }: Context,
  ): Promise<Group> {
    return this.overviews.saveGroup(viewer, parseStudentGroup(input, 'input'));
  }

  @UseMiddleware(forStaff)
  @Mutation(() => Boolean, { description: 'Deletes a group. False if there was none of this name.' })
  deleteStudentGroup(
    @Arg('name', () => String, { description: 'The name of the group.' }) name: string,
    @Ctx() { viewer }: Context,
  ): Promise<boolean> {
    return this.overviews.deleteGroup(viewer, parseName(name, 'name'));
  }
}
