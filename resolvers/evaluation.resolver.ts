import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root, UseMiddleware } from 'type-graphql';
import { parseEvaluationOrder } from '../src/domain/parse/evaluation.js';
import { parseId } from '../src/domain/parse/id.js';
import { parsePage } from '../src/domain/parse/page.js';
import type { EvaluationJob, Evaluations } from '../src/domain/ports/evaluation.js';
import type { Context } from './context.js';
import { withinDeadline } from './deadline.js';
import { Evaluation, RankingSummary } from './evaluation.type.js';

/** How good search is: evaluations as jobs. */
@Resolver(() => Evaluation)
@UseMiddleware(withinDeadline)
export class EvaluationResolver {
  constructor(private readonly evaluations: Evaluations) {}

  @Query(() => Evaluation, { description: 'The evaluation with this id; NOT_FOUND without one.' })
  evaluation(
    @Arg('id', () => ID, { description: 'The id of the evaluation.' }) id: string,
    @Ctx() { viewer }: Context,
  ): Promise<EvaluationJob> {
    return this.evaluations.job(viewer, parseId(id, 'id'));
  }

  @Query(() => [Evaluation], {
    name: 'evaluations',
    description: 'The latest evaluations, newest first; 50 are kept.',
  })
  evaluationJobs(
    @Arg('first', () => Int, { nullable: true, defaultValue: 10, description: 'How many, from 1 to 100.' })
    first: number | null,
    @Ctx() { viewer }: Context,
  ): Promise<readonly EvaluationJob[]> {
    return this.evaluations.jobs(viewer, parsePage({ first }).first);
  }

  @Mutation(() => Evaluation, {
    description:
      'Begins to measure search on a golden set: the whole search, each of its lanes alone, and plain BM25 beside them. One of a tenant at a time; a second one is a CONFLICT. Where those of four tenants run, another is RATE_LIMITED.',
  })
  evaluate(
    @Arg('set', () => String, { description: 'The golden set.' }) set: string,
    @Arg('profile', () => String, {
      nullable: true,
      defaultValue: 'default',
      description: 'The search profile that is measured.',
    })
    profile: string | null,
    @Arg('against', () => String, { nullable: true, description: 'Another profile to compare it with, case by case.' })
    against: string | null,
    @Arg('tune', () => String, {
      nullable: true,
      description:
        'The name of a search profile to make: better settings than those of `profile` are looked for on half of the cases, measured on the other half, and saved only where a gain is supported there.',
    })
    tune: string | null,
    @Arg('k', () => Int, {
      nullable: true,
      defaultValue: 50,
      description: 'How many hits to ask for in each case, from 10 to 50.',
    })
    k: number | null,
    @Ctx() { viewer }: Context,
  ): Promise<EvaluationJob> {
    return this.evaluations.start(viewer, parseEvaluationOrder({ set, profile, against, tune, k }));
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'The whole report as JSON, with slices, intervals and the cases that changed most; null before it is done.',
  })
  async reportJson(@Root() { id, state }: EvaluationJob, @Ctx() { viewer }: Context): Promise<string | null> {
    return state === 'DONE' ? this.evaluations.reportJson(viewer, id) : null;
  }

  @FieldResolver(() => [RankingSummary], {
    description: 'How the search, each of its lanes and plain BM25 did; none before it is done.',
  })
  async rankings(@Root() { id, state }: EvaluationJob, @Ctx() { viewer }: Context): Promise<readonly RankingSummary[]> {
    const rankings = state === 'DONE' ? await this.evaluations.rankings(viewer, id) : [];
    return rankings.map(({ name, kind, metrics, latencyMs }) => ({
      name,
      kind,
      metrics: Object.entries(metrics).map(([metric, { value, low, high }]) => ({ metric, value, low, high })),
      p50Ms: latencyMs?.p50 ?? null,
      p95Ms: latencyMs?.p95 ?? null,
    }));
  }
}
