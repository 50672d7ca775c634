import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from '../../bench/client.js';
import { type LoopWatch, watchLoop } from '../../bench/held.js';
import { GOLDEN_SET, type LongWork, longWorks } from '../../bench/long-works.js';
import { notebook } from '../../bench/notebook.js';
import type { OtherViewerTimes } from '../../bench/other-viewer.child.js';
import { type OtherViewer, startOtherViewer } from '../../bench/other-viewer.js';
import { bearerOf, SCHOOL_SETTINGS } from '../../bench/school.js';
import { percentile } from '../../src/domain/percentile.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { until } from '../support/until.js';

/** Cards of the school at work; `npm run bench -- long-work` has 20,000. */
const CARDS = 1_000;
/** Tuning needs 20 in its training split. */
const CASES = 50;

/**
 * What is promised on a quiet machine is 50 ms for `/livez` and twice the quiet p95 of searches (docs/long-work.md).
 * Here a hold is counted in processor time of the gateway's thread, and the machine may be slow or shared: a few times
 * as much. The test runs after all others, alone.
 */
const MAX_HOLD_MS = 150;
const MAX_SEARCH_RATIO = 10;
/** Searches that are quick anyway may be this slow, in ms: half of their deadline. */
const LEAST_SLOW_MS = 1_000;
/**
 * Other processes of a shared machine take the processors from the gateway, and no clock tells their share of a search
 * from the work's. A work that is too slow for others is so each time: it is repeated, and fails if it never stays
 * within the bounds.
 */
const ATTEMPTS = 3;

let gateway: Gateway;
let watch: LoopWatch;
let viewer: OtherViewer;
let works: readonly LongWork[];
let quietMs: number;
const stop = new AbortController();

beforeAll(async () => {
  watch = watchLoop();
  gateway = await startGateway({ env: { ...SCHOOL_SETTINGS, ...watch.env, LOG_LEVEL: 'error' } });
  const client = async (sub: string, tenant: string, role: string): Promise<Client> =>
    new Client(gateway.url, await bearerOf({ sub, tenant, role }), stop.signal);
  const [student, admin] = [await client('amy', 'busy', 'student'), await client('head', 'busy', 'admin')];
  const other = await client('ben', 'other', 'admin');
  const cards = notebook(CARDS);
  const others = notebook(200, 7);
  const linesOf = (all: typeof cards): string => all.map((card) => `${JSON.stringify(card)}\n`).join('');
  await other.import(linesOf(others));
  await student.import(linesOf(cards));
  for (const one of [other, admin]) {
    await until(async () => (await one.pending()) === 0, { deadlineMs: 120_000, what: 'the index' });
  }
  const cases = cards.slice(0, CASES).map(({ id, questionText }) => {
    return { id: `of-${id}`, operation: 'similarQuestions', text: questionText, relevant: [{ cardId: id, grade: 2 }] };
  });
  const save = 'mutation ($input: SaveGoldenSetInput!) { saveGoldenSet(input: $input) { name } }';
  await admin.ask(save, { input: { name: GOLDEN_SET, cases } });
  const importer = await client('head', 'importing', 'admin');
  works = longWorks({ student, admin, small: admin, importer });
  const texts = others.map(({ questionText }) => questionText);
  viewer = startOtherViewer({ url: gateway.url, bearer: other.bearer, texts });
  await answers(10);
  quietMs = percentile((await answers(30)).search, 0.95);
});
afterAll(async () => {
  stop.abort();
  await viewer.close();
  await gateway.close();
});

/** What the other viewer was answered since the last time; waits until those are so many searches. */
async function answers(least: number): Promise<OtherViewerTimes> {
  const search: number[] = [];
  const errors: Record<string, number> = {};
  const enough = async (): Promise<boolean> => {
    const times = await viewer.times();
    search.push(...times.search);
    Object.assign(errors, times.errors);
    return search.length >= least;
  };
  await until(enough, { deadlineMs: 60_000, what: 'searches of another viewer' });
  return { livez: [], search, errors };
}

describe('during long work, other viewers are answered in time:', () => {
  const names = longWorks({} as never).map(({ name }) => name);
  test.each(names)('%s', async (name) => {
    const { work } = works.find((one) => one.name === name) as LongWork;
    const worst: object[] = [];
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      await viewer.times();
      await watch.longest();
      await work();
      const { cpuMs, wallMs } = await watch.longest();
      const { search, errors } = await answers(1);
      const holdMs = cpuMs ?? wallMs;
      const searchMs = percentile(search, 0.95);
      const isAnswered =
        Object.keys(errors).length === 0 && searchMs < Math.max(LEAST_SLOW_MS, MAX_SEARCH_RATIO * quietMs);
      if (isAnswered && holdMs < MAX_HOLD_MS) return;
      worst.push({ holdMs, searchMs, quietMs, errors });
    }
    expect(worst).toEqual([]);
  });
});
