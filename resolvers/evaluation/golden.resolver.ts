import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root, UseMiddleware } from 'type-graphql';
import type { GoldenSet as SetFacts } from '../../src/domain/golden.js';
import { parseGoldenCase, parseGoldenSet, parseHitJudgement, parseName } from '../../src/domain/parse/golden.js';
import { parsePage } from '../../src/domain/parse/page.js';
import { parseId } from '../../src/domain/parse/scalars.js';
import type { CardStore } from '../../src/domain/ports/cards.js';
import type { GoldenStore } from '../../src/domain/ports/evaluation.js';
import { judgeHit } from '../../src/evaluation/judge-hit.js';
import { connectionOf, type PageArgs, pageArgs } from '../connection.js';
import type { Context } from '../context.js';
import { forStaff } from '../requests/for-staff.js';
import { GoldenCaseInput, JudgeHitArgs, SaveGoldenSetInput } from './golden.input.js';
import {
  GoldenCaseConnection,
  GoldenCasePage,
  GoldenSet,
  goldenCaseType,
  JudgedHit,
  UndoneJudgement,
} from './golden.type.js';

const CasePageArgs = pageArgs(50);
const ListPageArgs = pageArgs(50, 'The `next` of the previous page.');

@UseMiddleware(forStaff)
@Resolver(() => GoldenSet)
export class GoldenResolver {
  constructor(
    private readonly golden: GoldenStore,
    private readonly cards: Pick<CardStore, 'byIds'>,
  ) {}

  @Query(() => [GoldenSet], { description: 'The golden sets of the tenant, by name.' })
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

  @FieldResolver(() => GoldenCaseConnection, { description: 'The cases of the set, in their order.' })
  async goldenCases(
    @Root() { name }: SetFacts,
    @Args(() => CasePageArgs) args: PageArgs,
    @Ctx() { viewer }: Context,
  ): Promise<GoldenCaseConnection> {
    const page = parsePage(args);
    const { edges, hasNextPage } = await this.golden.cases(viewer, name, page);
    const shown = edges.map(({ cursor, node }) => ({ cursor, node: goldenCaseType(node) }));
    return connectionOf({ edges: shown, hasNextPage }, page);
  }

  // Not called `cases`: type-graphql would take it for the resolver of the property of that name, which is their
  // number.
  @FieldResolver(() => GoldenCasePage, {
    name: 'cases',
    description: 'The cases of the set, in their order, page by page.',
    deprecationReason: 'Use `goldenCases`. Deprecated on 2026-11-23.',
  })
  async casePage(
    @Root() { name }: SetFacts,
    @Args(() => ListPageArgs) args: PageArgs,
    @Ctx() { viewer }: Context,
  ): Promise<GoldenCasePage> {
    const { edges, hasNextPage } = await this.golden.cases(viewer, name, parsePage(args));
    const nodes = edges.map(({ node }) => goldenCaseType(node));
    return { nodes, next: hasNextPage ? (edges.at(-1)?.cursor ?? null) : null };
  }

  @Mutation(() => GoldenSet, { description: 'Creates a golden set, or changes the one with this name.' })
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
    description: 'Deletes a golden set with its cases. False if there was no such set.',
  })
  deleteGoldenSet(
    @Arg('name', () => String, { description: 'The name of the set.' }) name: string,
    @Ctx() { viewer }: Context,
  ): Promise<boolean> {
    return this.golden.delete(viewer, parseName(name, 'name'));
  }

  @Mutation(() => JudgedHit, {
    description:
      'Judges the relevance of a hit and stores the judgement in a golden set. undoJudgement restores the previous judgement.',
  })
  async judgeHit(@Args(() => JudgeHitArgs) args: JudgeHitArgs, @Ctx() { viewer }: Context): Promise<JudgedHit> {
    const { goldenCase, ...rest } = await judgeHit(
      { golden: this.golden, cards: this.cards },
      viewer,
      parseHitJudgement(args),
    );
    return { ...rest, case: goldenCaseType(goldenCase) };
  }

  @Mutation(() => UndoneJudgement, {
    description:
      'Undoes a judgement; the previous judgement of the hit applies again. NOT_FOUND if it was undone already.',
  })
  async undoJudgement(
    @Arg('judgementId', () => ID, { description: 'The judgementId returned by judgeHit.' }) judgementId: string,
    @Ctx() { viewer }: Context,
  ): Promise<UndoneJudgement> {
    const { set, goldenCase } = await this.golden.undo(viewer, parseId(judgementId, 'judgementId'));
    return { set, case: goldenCase === null ? null : goldenCaseType(goldenCase) };
  }
}
