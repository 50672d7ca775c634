import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readReport } from '../../src/cli/evaluate.js';
import { GatewayClient } from '../../src/cli/gateway-client.js';
import type { EvaluationJob } from '../../src/domain/ports/evaluation.js';
import { byMain, byMetric, METRICS } from '../../src/evaluation/metrics.js';
import type { CaseReport, EvaluationReport, SliceReport } from '../../src/evaluation/reports/report.js';
import { BUILTIN_SETTINGS } from '../../src/search/profile.js';
import { startApi, type TestApi } from './gateway.js';

const JOB: EvaluationJob = {
  id: 'e1',
  set: 'golden',
  profile: 'default',
  against: null,
  k: 50,
  state: 'DONE',
  done: 3,
  total: 3,
  error: null,
  createdAt: new Date(0),
  finishedAt: new Date('2026-01-01T00:00:00.000Z'),
};

const estimates = byMetric((metric) => {
  const value = METRICS.indexOf(metric) / 10;
  return { value, low: value - 0.1, high: value + 0.1 };
});
const differences = byMetric((metric) => ({
  ...estimates[metric],
  p: 0.01,
  higher: 2,
  lower: 1,
  same: 0,
  supported: true,
}));
const slices: readonly SliceReport[] = [
  { slice: 'operation', group: 'byError', cases: 2, metrics: byMain((metric) => estimates[metric]) },
  { slice: 'grade', group: 'G6', cases: 1, metrics: byMain((metric) => estimates[metric]) },
];

/** One case more than a page has. */
const CASES: readonly CaseReport[] = Array.from({ length: 101 }, (_, place) => ({
  id: `case ${place}`,
  text: `query ${place}`,
  values: [
    { ndcgAt10: place / 100, mrr: 0.5 },
    { ndcgAt10: 0.25, mrr: 0.2 },
    { ndcgAt10: 0, mrr: 0.1 },
  ],
}));

const REPORT: EvaluationReport = {
  format: 1,
  set: 'golden',
  profile: 'default',
  cases: 101,
  skippedCases: 1,
  filteredCases: [{ id: 'case 7', text: 'query 7' }],
  missingCards: 2,
  degradedCases: 3,
  cards: 10,
  embeddingModel: 'builtin',
  k: 50,
  resampling: { resamples: 1_000, seed: 1 },
  rankings: [
    { name: 'search', kind: 'search', metrics: estimates, latencyMs: { p50: 1, p95: 2 }, slices },
    { name: 'search by old', kind: 'search', metrics: estimates, latencyMs: { p50: 3, p95: 4 }, slices },
    { name: 'plain BM25', kind: 'baseline', metrics: estimates, latencyMs: null, slices },
  ],
  silentLanes: ['dense error'],
  contests: [{ ranking: 'search', rival: 'plain BM25', differences: byMain((metric) => differences[metric]) }],
  comparison: {
    before: 'old',
    after: 'default',
    differences,
    changes: [-0.25, 0, 0.75],
    changed: [
      {
        id: 'case 100',
        text: 'query 100',
        before: 0.25,
        after: 1,
        hitsBefore: [{ cardId: 'a', grade: 0, text: 'of a' }],
        hitsAfter: [{ cardId: 'b', grade: 2, text: 'of b' }],
      },
    ],
  },
  tuning: {
    profile: 'tuned',
    settings: BUILTIN_SETTINGS,
    trainingCases: 3,
    skippedCases: 0,
    tried: 40,
    crossValidated: differences.mrr,
    accepted: true,
  },
  caseReports: CASES,
  finishedAt: '2026-01-01T00:00:00.000Z',
  tookMs: 5,
};

let gateway: TestApi;
let reported: { head: EvaluationReport };
beforeEach(async () => {
  reported = { head: REPORT };
  gateway = await startApi({
    evaluations: {
      job: async (_viewer, id) => ({ ...JOB, id, state: id === 'e1' ? 'DONE' : 'RUNNING' }),
      reportHead: async () => reported.head,
      reportCases: async (_viewer, _id, { from, first }) => ({
        cases: CASES.slice(from, from + first),
        total: CASES.length,
        rankings: REPORT.rankings.map(({ name }) => name),
      }),
    },
    evaluationService: { reportJson: async () => JSON.stringify(REPORT) },
  });
});
afterEach(() => gateway.close());

describe('the report of an evaluation', () => {
  test('can be read as a whole: the command line gets what was measured', async () => {
    const client = new GatewayClient(gateway.url);
    expect(await readReport(client, 'e1')).toEqual(REPORT);
  });

  test('names the cases that their filter makes unanswerable; a report of an earlier version has none', async () => {
    const query = '{ evaluation(id: "e1") { report { skippedCases filteredCases { id text } } } }';
    const { data } = await gateway.post(query);
    expect(data.evaluation.report).toEqual({ skippedCases: 1, filteredCases: [{ id: 'case 7', text: 'query 7' }] });
    const { filteredCases: _, ...earlier } = REPORT;
    reported.head = earlier;
    expect((await gateway.post(query)).data.evaluation.report.filteredCases).toEqual([]);
  });

  test('has deprecated fields that say the same in another form', async () => {
    const { data, errors } = await gateway.post(`{ evaluation(id: "e1") { report {
      rankings { kind metrics { name metric } slices { group } } slices { group } none: slices(ranking: "x") { group }
    } } }`);
    expect(errors).toEqual([]);
    const { rankings, ...report } = data.evaluation.report;
    expect(rankings.map(({ kind }: { kind: string }) => kind)).toEqual(['search', 'search', 'baseline']);
    expect(rankings[0].metrics.map(({ name, metric }: { name: string; metric: string }) => [name, metric])).toEqual(
      METRICS.map((metric) => [expect.stringMatching(/^[A-Z]+(_[A-Z0-9]+)*$/), metric]),
    );
    expect(report).toEqual({ slices: rankings[0].slices, none: [] });
  });

  test('has its cases page by page, each with the values of every ranking', async () => {
    const page = async (after: string | null) => {
      const { data, errors } = await gateway.post(
        `query ($after: String) { evaluation(id: "e1") { caseReports(first: 99, after: $after) {
          totalCount nodes { id values { ranking ndcgAt10 } } pageInfo { hasNextPage endCursor } } } }`,
        { after },
      );
      expect(errors).toEqual([]);
      return data.evaluation.caseReports;
    };
    const first = await page(null);
    expect([first.totalCount, first.nodes.length]).toEqual([101, 99]);
    expect(first.nodes[1]).toEqual({
      id: 'case 1',
      values: [
        { ranking: 'search', ndcgAt10: 0.01 },
        { ranking: 'search by old', ndcgAt10: 0.25 },
        { ranking: 'plain BM25', ndcgAt10: 0 },
      ],
    });
    const rest = await page(first.pageInfo.endCursor);
    expect([first.pageInfo.hasNextPage, rest.pageInfo.hasNextPage]).toEqual([true, false]);
    expect(rest.nodes.map(({ id }: { id: string }) => id)).toEqual(['case 99', 'case 100']);
    const { errors } = await gateway.post('{ evaluation(id: "e1") { caseReports(after: "bm9uZQ") { totalCount } } }');
    expect(errors.map(({ extensions }) => extensions)).toEqual([{ code: 'BAD_USER_INPUT', field: 'after' }]);
  });

  test('is null while the evaluation is running', async () => {
    const query = '{ evaluation(id: "e2") { report { cases } caseReports { totalCount } rankings { name } } }';
    expect((await gateway.post(query)).data.evaluation).toEqual({ report: null, caseReports: null, rankings: [] });
  });
});
