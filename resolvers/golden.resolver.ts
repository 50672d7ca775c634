import { Arg, Args, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root, UseMiddleware } from 'type-graphql';
import type { GoldenSet as SetFacts } from '../src/domain/golden.js';
import { parseGoldenCase, parseGoldenSet, parseHitJudgement, parseName } from '../src/domain/parse/golden.js';
import { parseId } from '../src/domain/parse/id.js';
import { parsePage } from '../src/domain/parse/page.js';
import type { GoldenSets } from '../src/domain/ports/evaluation.js';
import type { Context } from './context.js';
import { withinDeadline } from './deadline.js';
import { GoldenCaseInput, JudgeHitArgs, SaveGoldenSetInput } from './golden.input.js';
import { GoldenCasePage, GoldenSet, goldenCaseType, JudgedHit, UndoneJudgement } from './golden.type.js';

/** What search should answer: golden sets, and hits that are judged where they are seen. */
@Resolver(() => GoldenSet)
@UseMiddleware(withinDeadline)
export class GoldenResolver {
  constructor(private readonly golden: GoldenSets) {}

  @Query(() => [GoldenSet], { description: 'The golden sets of the school, by name.' })
  goldenSets(@Ctx() { viewer }: Context): Promise<readonly SetFacts[]> {
    return this.golden.sets(viewer);
  }

  @Query(() => GoldenSet, { description: 'The golden set of this name; NOT_FOUND without one.' })
  goldenSet(
    @Arg('name', () => String, { description: 'The name of the set.' }) name: string,
    @Ctx() { viewer }: Context,
  ): Promise<SetFacts> {
    return this.golden.set(viewer, parseName(name, 'name'));
  }

  // Not called `cases`: type-graphql would take it for the resolver of the property of that name, which is their number.
  @FieldResolver(() => GoldenCasePage, {
    name: 'cases',
    description: 'The cases of the set, in their order, page by page.',
  })
  async casePage(
    @Root() { name }: SetFacts,
    @Arg('first', () => Int, { nullable: true, defaultValue: 50, description: 'The size of the page, from 1 to 100.' })
    first: number | null,
    @Arg('after', () => String, { nullable: true, description: 'The `next` of the page before.' })
    after: string | null,
    @Ctx() { viewer }: Context,
  ): Promise<GoldenCasePage> {
    const { cases, next } = await this.golden.cases(viewer, name, parsePage({ first, after }));
    return { nodes: cases.map(goldenCaseType), next };
  }

  @Mutation(() => GoldenSet, { description: 'Makes a golden set, or changes the one of this name.' })
  saveGoldenSet(
    @Arg('input', () => SaveGoldenSetInput, { description: 'The set.' }) input: SaveGoldenSetInput,
    @Ctx() { viewer }: Context,
  ): Promise<SetFacts> {
    return this.golden.save(viewer, parseGoldenSet(input, 'input'));
  }

  @Mutation(() => GoldenSet, { description: 'Adds a case to a golden set, or replaces the one with its id.' })
  addGoldenCase(
    @Arg('set', () => String, { description: 'The name of the set; NOT_FOUND without one.' }) set: string,
    @Arg('case', () => GoldenCaseInput, { description: 'The case.' }) one: GoldenCaseInput,
    @Ctx() { viewer }: Context,
  ): Promise<SetFacts> {
    return this.golden.addCase(viewer, parseName(set, 'set'), parseGoldenCase(one, 'case'));
  }

  @Mutation(() => Boolean, {
    description: 'Deletes a golden set with its cases. False where there was no such set.',
  })
  deleteGoldenSet(
    @Arg('name', () => String, { description: 'The name of the set.' }) name: string,
    @Ctx() { viewer }: Context,
  ): Promise<boolean> {
    return this.golden.delete(viewer, parseName(name, 'name'));
  }

  @Mutation(() => JudgedHit, {
    description:
      'Says of a hit whether it belongs there, and keeps that in a golden set. What was said of it before stays beneath, for undoJudgement.',
  })
  async judgeHit(@Args(() => JudgeHitArgs) args: JudgeHitArgs, @Ctx() { viewer }: Context): Promise<JudgedHit> {
    const { goldenCase, ...rest } = await this.golden.judge(viewer, parseHitJudgement(args));
    return { ...rest, case: goldenCaseType(goldenCase) };
  }

  @Mutation(() => UndoneJudgement, {
    description:
      'Takes back what was said of a hit: what was said of it before counts again. NOT_FOUND if it was taken back.',
  })
  async undoJudgement(
    @Arg('judgementId', () => ID, { description: 'The judgementId that judgeHit answered.' }) judgementId: string,
    @Ctx() { viewer }: Context,
  ): Promise<UndoneJudgement> {
    const { set, goldenCase } = await this.golden.undo(viewer, parseId(judgementId, 'judgementId'));
    return { set, case: goldenCase === null ? null : goldenCaseType(goldenCase) };
  }
}
