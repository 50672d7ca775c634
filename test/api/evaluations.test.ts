import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EvaluationJob } from '../../src/domain/ports/evaluation.js';
import type { CaseReport, ReportHead } from '../../src/evaluation/report.js';
import { BUILTIN_SETTINGS } from '../../src/search/profile.js';
import { startGateway, type TestGateway } from './gateway.js';

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
  finishedAt: new Date(1),
};

const estimate = { value: 0.5, low: 0.4, high: 0.6 };
const difference = { ...estimate, p: 0.01, higher: 2, lower: 1, same: 0, supported: true };
const metrics = {
  ndcgAt10: estimate,
  mrr: estimate,
  recallAt5: estimate,
  recallAt10: estimate,
  recallAtK: estimate,
  precisionAt10: estimate,
  zeroResultRate: estimate,
  duplicateRate: estimate,
  topics: estimate,
};
const main = { ndcgAt10: estimate, mrr: estimate };

const REPORT: ReportHead = {
  format: 1,
  set: 'golden',
  profile: 'default',
  cases: 3,
  skippedCases: 1,
  missingCards: 0,
  degradedCases: 0,
  cards: 10,
  embeddingModel: 'builtin',
  k: 50,
  resampling: { resamples: 1_000, seed: 1 },
  rankings: [
    {
      name: 'search',
      kind: 'search',
      metrics,
      latencyMs: { p50: 1, p95: 2 },
      slices: [{ slice: 'grade', group: 'G6', cases: 3, metrics: main }],
    },
    { name: 'plain BM25', kind: 'baseline', metrics, latencyMs: null, slices: [] },
  ],
  silentLanes: ['dense error'],
  contests: [{ ranking: 'search', rival: 'plain BM25', differences: { ndcgAt10: difference, mrr: difference } }],
  comparison: null,
  tuning: {
    profile: 'tuned',
    settings: BUILTIN_SETTINGS,
    trainingCases: 3,
    skippedCases: 0,
    tried: 40,
    crossValidated: difference,
    accepted: true,
  },
  finishedAt: '2026-01-01T00:00:00.000Z',
  tookMs: 5,
};

const CASES: readonly CaseReport[] = ['a', 'b', 'c'].map((id) => ({
  id,
  text: `query ${id}`,
  values: [
    { ndcgAt10: 1, mrr: 0.5 },
    { ndcgAt10: 0.25, mrr: 0.2 },
  ],
}));

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway({
    evaluations: {
      job: async (_viewer, id) => ({ ...JOB, id, state: id === 'e1' ? 'DONE' : 'RUNNING' }),
      report: async () => REPORT,
      cases: async (_viewer, _id, { from, first }) => ({
        cases: CASES.slice(from, from + first),
        total: CASES.length,
        rankings: REPORT.rankings.map(({ name }) => name),
      }),
    },
  });
});
afterEach(() => gateway.close());

describe('the report of an evaluation', () => {
  test('has types: enums, differences, groups of cases of one ranking, how a profile was tuned', async () => {
    const { data, errors } = await gateway.post(`{ evaluation(id: "e1") { report {
      cases skippedCases missingCards degradedCases cards embeddingModel tookMs silentLanes
      rankings { name type kind p95Ms metrics { name metric value low high } }
      slices { slice group cases metrics { name value } } none: slices(ranking: "plain BM25") { group }
      contests { ranking rival differences { name difference { value p higher supported } } }
      comparison { before } tuning { profile tried accepted settings { lexicalShare } crossValidated { low high } }
    } } }`);
    expect(errors).toEqual([]);
    const { rankings, ...report } = data.evaluation.report;
    expect(report).toMatchObject({
      cases: 3,
      skippedCases: 1,
      silentLanes: ['dense error'],
      slices: [
        { slice: 'GRADE', group: 'G6', cases: 3, metrics: [{ name: 'NDCG_AT_10', value: 0.5 }, { name: 'MRR' }] },
      ],
      none: [],
      contests: [
        { rival: 'plain BM25', differences: [{ name: 'NDCG_AT_10', difference: { p: 0.01 } }, { name: 'MRR' }] },
      ],
      comparison: null,
      tuning: { profile: 'tuned', tried: 40, settings: { lexicalShare: BUILTIN_SETTINGS.lexicalShare } },
    });
    expect(rankings).toMatchObject([
      { name: 'search', type: 'SEARCH', kind: 'search', p95Ms: 2 },
      { name: 'plain BM25', type: 'BASELINE', p95Ms: null },
    ]);
    expect(rankings[0].metrics.map(({ name, metric }: { name: string; metric: string }) => [name, metric])).toEqual(
      Object.keys(metrics).map((metric) => [expect.stringMatching(/^[A-Z]+(_[A-Z0-9]+)*$/), metric]),
    );
  });

  test('has its cases page by page, each with the values of every ranking', async () => {
    const page = async (after: string | null) => {
      const { data, errors } = await gateway.post(
        `query ($after: String) { evaluation(id: "e1") { caseReports(first: 2, after: $after) {
          totalCount nodes { id values { ranking ndcgAt10 } } pageInfo { hasNextPage endCursor } } } }`,
        { after },
      );
      expect(errors).toEqual([]);
      return data.evaluation.caseReports;
    };
    const first = await page(null);
    const values = [
      { ranking: 'search', ndcgAt10: 1 },
      { ranking: 'plain BM25', ndcgAt10: 0.25 },
    ];
    expect(first).toMatchObject({
      totalCount: 3,
      nodes: [
        { id: 'a', values },
        { id: 'b', values },
      ],
    });
    const rest = await page(first.pageInfo.endCursor);
    expect([first.pageInfo.hasNextPage, rest.pageInfo.hasNextPage]).toEqual([true, false]);
    expect(rest.nodes).toEqual([{ id: 'c', values }]);
    const { errors } = await gateway.post('{ evaluation(id: "e1") { caseReports(after: "bm9uZQ") { totalCount } } }');
    expect(errors.map(({ extensions }) => extensions)).toEqual([{ code: 'BAD_USER_INPUT', field: 'after' }]);
  });

  test('is null while the evaluation is running', async () => {
    const query = '{ evaluation(id: "e2") { report { cases } caseReports { totalCount } rankings { name } } }';
    expect((await gateway.post(query)).data.evaluation).toEqual({ report: null, caseReports: null, rankings: [] });
  });
});
