import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readReport } from '../../src/cli/evaluate.js';
import { GatewayClient } from '../../src/cli/gateway-client.js';
import { goldenCases, saveGoldenSet } from '../../src/cli/golden-client.js';
import { packageRoot } from '../../src/config/package-root.js';
import { parseRegressionThresholds, readGoldenLines, writeGoldenLines } from '../../src/domain/parse/golden.js';
import { belowThresholds, type RegressionThresholds } from '../../src/evaluation/reports/regression-thresholds.js';
import type { EvaluationReport } from '../../src/evaluation/reports/report.js';
import { BUILTIN_SETTINGS } from '../../src/search/profile.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { indexed } from '../support/notebook.js';
import { until } from '../support/until.js';

let gateway: Gateway;
let client: GatewayClient;
let thresholds: RegressionThresholds;
let lines: string;

beforeAll(async () => {
  gateway = await startGateway({ env: { SEED_SAMPLE: 'true' } });
  client = new GatewayClient(gateway.url);
  await indexed(gateway);
  lines = await readFile(join(packageRoot(), 'sample', 'golden.jsonl'), 'utf8');
  thresholds = parseRegressionThresholds(
    JSON.parse(await readFile(join(packageRoot(), 'sample', 'regression-thresholds.json'), 'utf8')),
    'thresholds',
  );
  await saveGoldenSet(
    client,
    { name: 'sample', cases: readGoldenLines(lines).cases },
    () => undefined,
    new AbortController().signal,
  );
});
afterAll(() => gateway?.close());

const EVALUATE = `mutation ($order: String!, $profile: String, $against: String, $tune: String) {
  evaluate(set: $order, profile: $profile, against: $against, tune: $tune, k: 10) { id }
}`;

/** The report of an evaluation of the sample's golden set. */
async function evaluated(order: { profile?: string; against?: string; tune?: string } = {}): Promise<EvaluationReport> {
  const { evaluate } = await client.send<{ evaluate: { id: string } }>(EVALUATE, { order: 'sample', ...order });
  const ended = async (): Promise<boolean> => {
    const { evaluation } = await client.ask<{ evaluation: { state: string; error: string | null } }>(
      'evaluation',
      evaluate,
    );
    if (evaluation.state === 'FAILED') throw new Error(`the evaluation failed: ${evaluation.error}`);
    return evaluation.state === 'DONE';
  };
  await until(ended, { deadlineMs: 120_000, what: 'the evaluation to end' });
  return readReport(client, evaluate.id);
}

describe('regression thresholds', () => {
  test('search on the sample notebook reaches the committed thresholds', async () => {
    const report = await evaluated();
    expect(report).toMatchObject({ cases: 121, skippedCases: 0, missingCards: 0, degradedCases: 0 });
    expect(belowThresholds(report, thresholds)).toEqual([]);
    const [first, ...others] = report.rankings;
    expect(first?.kind).toBe('search');
    expect(others.filter(({ kind }) => kind === 'baseline').map(({ name }) => name)).toEqual(['plain BM25']);
    expect(others.filter(({ kind }) => kind === 'lane')).toHaveLength(10);
    expect(report.contests[0]?.differences.ndcgAt10).toMatchObject({ supported: true });
    expect(report.contests[0]?.differences.ndcgAt10.value).toBeGreaterThan(0);
  });

  test('a deliberately worse profile misses them, and is reported as worse, case by case', async () => {
    const settings = { ...BUILTIN_SETTINGS, lexicalShare: 1, inferredWeight: 0 };
    await client.send('mutation ($input: SearchProfileInput!) { saveSearchProfile(input: $input) { name } }', {
      input: { name: 'worse', settings },
    });
    const report = await evaluated({ profile: 'worse', against: 'default' });
    expect(belowThresholds(report, thresholds)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^all cases: nDCG@10 is 0\.\d+, below the threshold of 0\.\d+$/)]),
    );
    const { comparison } = report;
    expect(comparison?.differences.ndcgAt10).toMatchObject({ supported: true });
    expect(comparison?.differences.ndcgAt10.value).toBeLessThan(0);
    const [most] = comparison?.changed ?? [];
    expect(most?.hitsBefore).not.toEqual(most?.hitsAfter);
  });
});

describe('search profiles', () => {
  const weights = async (args: string): Promise<Readonly<Record<string, number>>> => {
    const { hybridSearch } = await gateway.must<{
      hybridSearch: { hits: { lanes: { kind: string; weight: number }[] }[] };
    }>(`{ hybridSearch(text: "一元二次方程", ${args}) { hits { lanes { kind weight } } } }`);
    const sums: Record<string, number> = {};
    for (const { kind, weight } of hybridSearch.hits[0]?.lanes ?? []) sums[kind] = (sums[kind] ?? 0) + weight;
    return sums;
  };

  test('one argument selects plain vector search', async () => {
    const plain = await weights('profile: "plain-vectors"');
    expect({ lexical: plain.LEXICAL, inferred: plain.INFERRED ?? 0 }).toEqual({ lexical: 0, inferred: 0 });
    expect(plain.DENSE).toBeGreaterThan(0);
    expect((await weights('profile: "default"')).INFERRED).toBeGreaterThan(0);
  });

  test('arguments of a search override its profile', async () => {
    const { LEXICAL } = await weights('profile: "plain-vectors", options: {lexicalShare: 1}');
    expect(LEXICAL).toBeGreaterThan(0);
  });

  test('an unknown profile is refused by name, and so is a change of a built-in one', async () => {
    const unknown = await gateway.gql('{ hybridSearch(text: "x", profile: "nobody") { hits { rank } } }');
    expect(unknown.errors?.[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT', field: 'profile' } });
    const builtin = await gateway.gql('mutation { deleteSearchProfile(name: "default") }');
    expect(builtin.errors?.[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT', field: 'name' } });
  });

  test('tuning measures on unseen cases, and saves nothing if they show no gain', async () => {
    const report = await evaluated({ tune: 'tuned' });
    const { tuning, comparison } = report;
    expect(tuning?.trainingCases).toBeGreaterThanOrEqual(50);
    expect((tuning?.trainingCases ?? 0) + report.cases).toBe(121);
    expect(comparison).toMatchObject({ before: 'default', after: 'tuned' });
    const { value, supported } = comparison?.differences.ndcgAt10 ?? { value: Number.NaN, supported: false };
    if (tuning?.accepted) expect(supported && value > 0).toBe(true);
    const { searchProfiles } = await client.send<{ searchProfiles: { name: string }[] }>('{ searchProfiles { name } }');
    expect(searchProfiles.some(({ name }) => name === 'tuned')).toBe(tuning?.accepted);
  });
});

describe('golden sets', () => {
  test('are exported line by line as they were imported', async () => {
    const back = [];
    for await (const one of goldenCases(client, 'sample')) back.push(one);
    expect(writeGoldenLines(back)).toBe(writeGoldenLines(readGoldenLines(lines).cases));
    expect(back).toHaveLength(121);
  });

  test('accept a judgement of a hit, and undo it', async () => {
    const judged = await client.send<{
      judgeHit: { judgementId: string; set: string; case: { relevant: { cardId: string; grade: number }[] } };
    }>(
      `mutation {
        judgeHit(query: {operation: byConcept, text: "鸡兔同笼"}, cardId: "sample-zh-002", relevance: NOT_THE_SAME, reason: "x") {
          judgementId set case { relevant { cardId grade } }
        }
      }`,
    );
    expect(judged.judgeHit).toMatchObject({
      set: 'judged',
      case: { relevant: [{ cardId: 'sample-zh-002', grade: 0 }] },
    });
    const undone = await client.send<{ undoJudgement: { set: string; case: unknown } }>(
      'mutation ($id: ID!) { undoJudgement(judgementId: $id) { set case { id } } }',
      { id: judged.judgeHit.judgementId },
    );
    expect(undone.undoJudgement).toEqual({ set: 'judged', case: null });
  });
});

describe('the log of searches', () => {
  test('lists zero-result searches of a time window, and creates cases to judge from them', async () => {
    const nonsense = 'qwzx vbnm plokij';
    const logging = await startGateway({ env: { SEARCH_LOG: 'texts' } });
    try {
      const before = new Date().toISOString();
      await logging.gql('query ($text: String!) { hybridSearch(text: $text) { hits { rank } } }', { text: nonsense });
      await logging.gql('query ($text: String!) { byConcept(text: $text) { hits { rank } } }', { text: nonsense });
      const metrics = async (): Promise<{ searches: number; zeroResultRate: number }> => {
        const query = 'query ($after: DateTime) { searchMetrics(after: $after) { searches zeroResultRate } }';
        const { searchMetrics } = await logging.must<{ searchMetrics: { searches: number; zeroResultRate: number } }>(
          query,
          { after: before },
        );
        return searchMetrics;
      };
      const both = async (): Promise<boolean> => (await metrics()).searches === 2;
      await until(both, { deadlineMs: 30_000, what: 'both searches to be logged' });
      expect((await metrics()).zeroResultRate).toBe(1);
      const errata = join(packageRoot(), 'dist', 'src', 'cli', 'errata.js');
      const run = () =>
        promisify(execFile)(process.execPath, [errata, 'golden', 'from-log', 'lost', '--url', logging.url]);
      expect((await run()).stdout).toBe('lost: 2 new cases to judge, 0 already existed\n');
      expect((await run()).stdout).toBe('lost: 0 new cases to judge, 2 already existed\n');
      const { data } = await logging.gql('{ goldenSet(name: "lost") { judgedCaseCount cases { nodes { text } } } }');
      expect(data?.goldenSet).toEqual({
        judgedCaseCount: 0,
        cases: { nodes: [{ text: nonsense }, { text: nonsense }] },
      });
    } finally {
      await logging.close();
    }
  });

  test('that is off refuses a time window by name', async () => {
    const { errors } = await gateway.gql('{ searchMetrics(after: "2026-01-01T00:00:00Z") { searches } }');
    expect(errors?.[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT', field: 'after' } });
  });
});
