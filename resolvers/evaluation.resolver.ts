import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root, UseMiddleware } from 'type-graphql';
import { parseEvaluationOrder } from '../src/domain/parse/evaluation.js';
import { parseId } from '../src/domain/parse/id.js';
import { parsePage } from '../src/domain/parse/page.js';
import type { EvaluationJob, Evaluations } from '../src/domain/ports/evaluation.js';
import type { Context } from './context.js';
import { withinDeadline } from './deadline.js';
import { Evaluation, RankingSummary } from './evaluation.type.js';

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
      'Starts an evaluation of search on a golden set: the fused ranking, each lane alone, and plain BM25. A tenant may run one at a time; a second one is a CONFLICT. While four tenants run one, another is RATE_LIMITED.',
  })
  evaluate(
    @Arg('set', () => String, { description: 'The golden set.' }) set: string,
    @Arg('profile', () => String, {
      nullable: true,
      defaultValue: 'default',
      description: 'The search profile that is measured.',
    })
    profile: string | null,
    @Arg('against', () => String, {
      nullable: true,
      description: 'Another profile to compare with, by paired differences per case.',
    })
    against: string | null,
    @Arg('tune', () => String, {
      nullable: true,
      description:
        'The name of a search profile to create: starting from `profile`, settings are tuned on the training split of the set, measured on the test split, and saved only if the gain is significant there.',
    })
    tune: string | null,
    @Arg('k', () => Int, {
      nullable: true,
      defaultValue: 50,
      description: 'Number of hits to request in each case, from 10 to 50.',
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
    description: 'Results of the search, each lane and plain BM25; empty before it is done.',
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
