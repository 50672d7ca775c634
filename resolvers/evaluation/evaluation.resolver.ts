import { GraphQLDateTime } from 'graphql-scalars';
import {
  Arg,
  Args,
  Ctx,
  FieldResolver,
  Float,
  ID,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
  UseMiddleware,
} from 'type-graphql';
import { parseEvaluationOrder } from '../../src/domain/parse/golden.js';
import { parsePage } from '../../src/domain/parse/page.js';
import { parseId } from '../../src/domain/parse/scalars.js';
import type { EvaluationJob, EvaluationStore } from '../../src/domain/ports/evaluation.js';
import type { EvaluationService } from '../../src/evaluation/evaluation-service.js';
import type {
  CaseReport as MeasuredCase,
  RankingReport,
  ReportHead,
  SliceReport,
} from '../../src/evaluation/reports/report.js';
import { type CountedConnection, connectionType, pageFields, placeAfter, placedConnection } from '../connection.js';
import type { Context } from '../context.js';
import { forStaff } from '../requests/guard.js';
import { argsType, deprecated, field, nullable, outputType } from '../types.js';
import { EvaluationStateEnum } from './evaluation.enums.js';
import { EvaluationReport, RankingSummary, SliceSummary } from './evaluation-report.type.js';

export const Evaluation = outputType<EvaluationJob>(
  'Evaluation',
  'An evaluation of search on a golden set, with its report when it is done.',
  {
    id: field(ID, 'The id of the evaluation.'),
    set: field(String, 'The golden set that is measured.'),
    profile: field(String, 'The search profile that is measured.'),
    against: nullable(String, 'The profile that it is compared with.'),
    k: field(Int, 'Hits requested in each case.'),
    state: field(EvaluationStateEnum, 'The state of the evaluation.'),
    done: field(Int, 'How many cases have been measured.'),
    total: field(Int, 'How many cases there are.'),
    error: nullable(String, 'Why it failed.'),
    createdAt: field(GraphQLDateTime, 'When it started.'),
    finishedAt: nullable(GraphQLDateTime, 'When it ended.'),
  },
);

interface ShownCase extends Omit<MeasuredCase, 'values'> {
  readonly values: readonly (MeasuredCase['values'][number] & { readonly ranking: string })[];
}

const CaseValue = outputType<ShownCase['values'][number]>('CaseValue', 'How one ranking did in one case.', {
  ranking: field(String, 'The ranking.'),
  ndcgAt10: field(Float, 'The nDCG@10.'),
  mrr: field(Float, 'The reciprocal rank of the first relevant hit; 0 without one.'),
});

const CaseReport = outputType<ShownCase>('CaseReport', 'A measured case.', {
  id: field(ID, 'The id of the case.'),
  text: field(String, 'The query, or the question of the query card.'),
  values: field([CaseValue], 'How each ranking did, in the order of the rankings.'),
});

const CaseReportConnection = connectionType('CaseReport', CaseReport, {
  description: 'A page of the measured cases, as a Relay connection.',
  one: 'case',
  many: 'cases',
  edge: 'A measured case and its place in the list.',
  total: 'Number of cases on all pages.',
});

function shownCase({ id, text, values }: MeasuredCase, rankings: readonly string[]): ShownCase {
  return { id, text, values: values.map((value, place) => ({ ranking: rankings[place] ?? '', ...value })) };
}

const CasesArgs = argsType(pageFields(50));

export type Evaluations = Pick<EvaluationStore, 'job' | 'jobs' | 'reportHead' | 'reportCases'>;

const EvaluateArgs = argsType({
  set: field(String, 'The golden set.'),
  profile: nullable(
    String,
    'The search profile that is measured; searches that name none may use "learned" or SEARCH_PROFILE instead.',
    { defaultValue: 'default' },
  ),
  against: nullable(String, 'Another profile to compare with, by paired differences per case.'),
  tune: nullable(
    String,
    'The name of a search profile to create: starting from `profile`, settings are tuned on the training split of the set (with at least 20 measurable cases), measured on the test split, and saved only if the gain is significant there.',
  ),
  k: nullable(Int, 'Number of hits to request in each case, from 10 to 50.', { defaultValue: 50 }),
});

@UseMiddleware(forStaff)
@Resolver(() => Evaluation)
export class EvaluationResolver {
  constructor(
    private readonly evaluations: Evaluations,
    private readonly service: Pick<EvaluationService, 'start' | 'reportJson'>,
  ) {}

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
      'Starts an evaluation of search on a golden set: the fused ranking, each lane alone, and plain BM25. A tenant may run one at a time in each gateway; a second one there is a CONFLICT. At most four run at once; others wait, RUNNING with no case done. While 16 wait, another is RATE_LIMITED.',
  })
  evaluate(@Args(() => EvaluateArgs) args: object, @Ctx() { viewer }: Context): Promise<EvaluationJob> {
    return this.service.start(viewer, parseEvaluationOrder(args));
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'The whole report as JSON, for programs that store it or compare it with others: `errata evaluate --json` writes it; null before it is done.',
  })
  async reportJson(@Root() { id, state }: EvaluationJob, @Ctx() { viewer }: Context): Promise<string | null> {
    return state === 'DONE' ? this.service.reportJson(viewer, id) : null;
  }

  @FieldResolver(() => EvaluationReport, { nullable: true, description: 'The report; null before it is done.' })
  async report(@Root() { id, state }: EvaluationJob, @Ctx() { viewer }: Context): Promise<ReportHead | null> {
    return state === 'DONE' ? ((await this.evaluations.reportHead(viewer, id)) as ReportHead | null) : null;
  }

  @FieldResolver(() => CaseReportConnection, {
    nullable: true,
    description: 'The measured cases, in the order of the golden set, page by page; null before it is done.',
  })
  async caseReports(
    @Root() { id, state }: EvaluationJob,
    @Args(() => CasesArgs) args: InstanceType<typeof CasesArgs>,
    @Ctx() { viewer }: Context,
  ): Promise<CountedConnection<ShownCase> | null> {
    const page = parsePage(args);
    const from = placeAfter(['case', id], page.after);
    const found = state === 'DONE' ? await this.evaluations.reportCases(viewer, id, { first: page.first, from }) : null;
    if (found === null) return null;
    const nodes = (found.cases as readonly MeasuredCase[]).map((one) => shownCase(one, found.rankings));
    const hasNextPage = from + nodes.length < found.total;
    return { ...placedConnection(['case', id], { nodes, from, hasNextPage }, page), totalCount: found.total };
  }

  @FieldResolver(() => [RankingSummary], {
    description: 'Results of the search, each lane and plain BM25; empty before it is done.',
    ...deprecated('`rankings` of `report`'),
  })
  async rankings(@Root() job: EvaluationJob, @Ctx() context: Context): Promise<readonly RankingReport[]> {
    return (await this.report(job, context))?.rankings ?? [];
  }
}

/** The field of reports that has an argument. */
@UseMiddleware(forStaff)
@Resolver(() => EvaluationReport)
export class EvaluationReportResolver {
  @FieldResolver(() => [SliceSummary], {
    description: 'How one ranking did in groups of cases; none for an unknown ranking.',
    ...deprecated('`slices` of `rankings`'),
  })
  slices(
    @Root() { rankings }: ReportHead,
    @Arg('ranking', () => String, {
      nullable: true,
      defaultValue: 'search',
      description: 'The name of the ranking.',
    })
    ranking: string | null,
  ): readonly SliceReport[] {
    return rankings.find(({ name }) => name === ranking)?.slices ?? [];
  }
}
