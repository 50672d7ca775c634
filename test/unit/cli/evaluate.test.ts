import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { evaluateCommand } from '../../../src/cli/evaluate.js';
import { EXIT } from '../../../src/domain/exit-codes.js';
import { byPerspective } from '../../../src/domain/perspective.js';
import { byMetric } from '../../../src/evaluation/metrics.js';
import { ran } from '../../support/command.js';
import { type Folder, makeFolder } from '../../support/folder.js';
import { type HttpServer, startHttpServer } from '../../support/http-server.js';

interface Asked {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>> & {
    readonly input?: { readonly name: string; readonly settings?: object };
  };
}

const difference = { value: 0, low: 0, high: 0, p: 1, higher: 0, lower: 0, same: 1, supported: true };
const differences = byMetric(() => difference);
const metrics = byMetric(() => ({ value: 0.5, low: 0.4, high: 0.6 }));

const SETTINGS = {
  weights: byPerspective(() => 1),
  thresholdSteps: [],
  lexicalShare: 0.6,
  inferredWeight: 0.5,
  fusion: 'WEIGHTED',
  profilePower: 1,
  voteShare: 0.5,
  minResults: 1,
  diversity: 0,
  expandWith: null,
};

/** What the gateway was asked, in order. */
let asked: Asked[];
/** The errors of operations that fail. */
let failing: Map<string, string>;
let gateway: HttpServer;
let folder: Folder;
beforeEach(async () => {
  asked = [];
  failing = new Map();
  folder = await makeFolder('evaluate');
  gateway = await startHttpServer(async (request, response) => {
    const one = (await json(request)) as Asked;
    asked.push(one);
    const message = [...failing].find(([operation]) => one.query.includes(`${operation}(`))?.[1];
    const errors = [{ message, extensions: { code: 'BAD_USER_INPUT' } }];
    response.end(JSON.stringify(message === undefined ? { data: answerTo(one) } : { errors }));
  });
});
afterEach(async () => {
  await gateway.close();
  await folder.remove();
});

function variables(operation: string): readonly Asked['variables'][] {
  return asked.filter(({ query }) => query.includes(`${operation}(`)).map((one) => one.variables);
}

/** As a gateway whose evaluations end at once. */
function answerTo({ query }: Asked): object {
  if (!query.includes('reportJson')) return { evaluate: { id: 'e' }, evaluation: { state: 'DONE' }, deleted: true };
  const { set, tune, ...order } = variables('evaluate').at(-1) as Readonly<Record<string, string | null>>;
  const [profile, against] = tune === null ? [order.profile, order.against] : [tune, order.profile];
  const ranking = { name: `search by ${against}`, kind: 'search', latencyMs: null, metrics, slices: [] };
  const comparison = { before: against, after: profile, differences, changed: [], changes: [] };
  const tuned = { profile: tune, settings: SETTINGS, trainingCases: 20, skippedCases: 0, tried: 1 };
  const tuning = tune === null ? null : { ...tuned, crossValidated: difference, accepted: true };
  const report = { rankings: [ranking], contests: [], comparison, tuning, caseReports: [] };
  const counts = { cases: 1, skippedCases: 0, missingCards: 0, degradedCases: 0, cards: 1, tookMs: 1 };
  const head = { embeddingModel: 'm', resampling: { resamples: 1, seed: 1 }, silentLanes: [] };
  const reportJson = JSON.stringify({
    format: 1,
    set,
    profile,
    k: 50,
    finishedAt: 'now',
    ...report,
    ...counts,
    ...head,
  });
  return { evaluation: { reportJson } };
}

const CASE = JSON.stringify({ id: 'q', operation: 'byError', text: 'x', relevant: [{ cardId: 'a', grade: 2 }] });

describe('files that an evaluation stores', () => {
  test('never share a name with each other or with what the user has stored', async () => {
    const set = await folder.write('golden.jsonl', CASE);
    const [before, after] = [join(folder.path, 'old.json'), join(folder.path, 'new.json')];
    for (const path of ['old.json', 'new.json']) {
      await folder.write(
        path,
        JSON.stringify({ name: 'strict', settings: { voteShare: path === 'old.json' ? 0 : 1 } }),
      );
    }
    const report = join(folder.path, 'report.json');
    const options = ['--profile', after, '--against', before, '--json', report, '--url', gateway.url];
    expect(await ran(evaluateCommand(), set, ...options)).toMatchObject({ thrown: null, exitCode: 0 });

    const saved = variables('saveSearchProfile').map(({ input }) => input?.name);
    expect(saved).toEqual([
      expect.stringMatching(/^strict \(.*\) \(profile [0-9a-f]{8}\)$/),
      expect.stringMatching(/^strict \(.*\) \(against [0-9a-f]{8}\)$/),
    ]);
    // The gateway knows the defaults of its embedding model.
    expect(variables('saveSearchProfile').map(({ input }) => input?.settings)).toEqual([
      { voteShare: 1 },
      { voteShare: 0 },
    ]);
    const sets = variables('saveGoldenSet').map(({ input }) => input?.name);
    expect(sets).toEqual([expect.stringMatching(/^golden\.jsonl \(set [0-9a-f]{8}\)$/)]);
    expect(variables('evaluate')).toMatchObject([{ set: sets[0], profile: saved[0], against: saved[1] }]);
    expect(variables('deleteSearchProfile').map(({ name }) => name)).toEqual(saved);
    expect(variables('deleteGoldenSet').map(({ name }) => name)).toEqual(sets);
    expect(JSON.parse(await readFile(report, 'utf8'))).toMatchObject({
      set: 'golden.jsonl',
      profile: `strict (${after})`,
      rankings: [{ name: `search by strict (${before})` }],
      comparison: { before: `strict (${before})`, after: `strict (${after})` },
    });
  });
});

test('settings that are tuned for a file are saved in the gateway for a moment, under a name that nothing else has', async () => {
  const file = join(folder.path, 'tuned.json');
  const { thrown, out } = await ran(evaluateCommand(), 'set', '--tune', file, '--url', gateway.url);
  expect(thrown).toBeNull();
  const name = expect.stringMatching(/^tuned \(tuned [0-9a-f]{8}\)$/);
  expect(variables('evaluate')).toMatchObject([{ tune: name }]);
  expect(variables('deleteSearchProfile')).toEqual([{ name: variables('evaluate')[0]?.tune }]);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ name: 'tuned', settings: SETTINGS });
  expect(out).toContain('tuned is saved');
});

test('tuned settings with a name stay in the gateway', async () => {
  const { thrown } = await ran(evaluateCommand(), 'set', '--tune', 'mine', '--url', gateway.url);
  expect(thrown).toBeNull();
  expect(variables('evaluate')).toMatchObject([{ tune: 'mine' }]);
  expect(variables('deleteSearchProfile')).toEqual([]);
});

describe('files of which one cannot be deleted from the gateway', () => {
  const evaluated = async () => {
    const set = await folder.write('golden.jsonl', CASE);
    const profile = await folder.write('new.json', JSON.stringify({ name: 'strict', settings: { voteShare: 1 } }));
    const { thrown, err } = await ran(
      evaluateCommand(),
      ...[set, '--profile', profile, '--against', 'x', '--url', gateway.url],
    );
    expect(variables('deleteGoldenSet')).toHaveLength(1);
    expect(variables('deleteSearchProfile')).toHaveLength(1);
    return { message: thrown?.message, err };
  };
  const left = (operation: string, reason: string): string =>
    `${JSON.stringify(variables(operation)[0]?.name)} could not be deleted from the gateway: ${reason}`;

  test('are all deleted but that one, which is named with its error', async () => {
    failing.set('deleteGoldenSet', 'the set is busy');
    const { message, err } = await evaluated();
    expect(message).toContain('the set is busy');
    expect(err).toContain(left('deleteGoldenSet', 'the set is busy'));
  });

  test('are deleted too if the evaluation failed; its error is reported, and each that is left is named', async () => {
    failing.set('deleteGoldenSet', 'the set is busy').set('deleteSearchProfile', 'the profile is busy');
    failing.set('evaluate', 'nothing to evaluate');
    const { message, err } = await evaluated();
    expect(message).toContain('nothing to evaluate');
    expect(err).toContain(left('deleteGoldenSet', 'the set is busy'));
    expect(err).toContain(left('deleteSearchProfile', 'the profile is busy'));
  });

  test('are deleted too if saving failed: the answer may have been lost', async () => {
    failing.set('saveSearchProfile', 'no answer');
    expect((await evaluated()).message).toContain('no answer');
  });
});

test.each([
  ['--json', 'missing/x.json'],
  ['--html', 'missing/x.html'],
  ['--tune', 'missing/tuned.json'],
  ['--json', '.'],
])('an output that cannot be written, %s %s, is refused before anything is measured', async (option, path) => {
  const { thrown } = await ran(evaluateCommand(), 'set', option, join(folder.path, path), '--url', gateway.url);
  expect(thrown).toMatchObject({ exitCode: EXIT.output, message: expect.stringContaining('cannot be written') });
  expect(asked).toEqual([]);
});

describe('regression thresholds', () => {
  const measured = (...options: readonly string[]) => ran(evaluateCommand(), 'set', ...options, '--url', gateway.url);

  test('are read before anything is measured', async () => {
    const file = await folder.write('thresholds.json', '{"serach": {}}');
    expect((await measured('--thresholds', file)).thrown?.message).toContain('search: is required');
    expect(asked).toEqual([]);
  });

  test('are only raised if there are any', async () => {
    const { thrown } = await measured('--raise');
    expect(thrown).toMatchObject({ message: '--raise needs --thresholds', exitCode: EXIT.usage });
    expect(asked).toEqual([]);
  });
});
