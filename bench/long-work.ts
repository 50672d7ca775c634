/**
 * How does long work of one school affect other users?
 *
 *     npm run bench -- long-work [--cards 20000] [--cases 1000] [--data DIR] [--only TEXT,TEXT]
 *
 * Four schools: one with `--cards` cards of one student, every fifth typed twice, and a golden set of 20 cases; one
 * with 300 cards and a golden set of `--cases` cases; one that imports cards; one with 3,000 cards, whose viewer, in a
 * separate process, requests `/livez` 50 times a second and searches ten times a second. In the first three, each piece
 * of work runs repeatedly for at least 15 seconds, after ten quiet seconds with which it is compared. Learning weights,
 * which a gateway begins two minutes after its start, is measured last, in a second gateway on the same data.
 *
 * `loop blocked`: the longest turn of the gateway's event loop, in processor time of its thread and in elapsed time,
 * which is longer on a busy machine. The share of time that this thread waited for a core separates contention with
 * Chroma, PostgreSQL, workers and other programs from blocking. `--data` keeps the cards in DIR for the next run;
 * `--only` runs the pieces of work whose names contain one of the texts.
 */
import { mkdir } from 'node:fs/promises';
import { Closers, delay } from '../src/domain/async.js';
import type { NewCard } from '../src/domain/card.js';
import { Client } from './client.js';
import { type BenchGateway, indexedAll, startBenchGateway, temporaryFolder } from './gateway.js';
import { type LoopWatch, watchLoop } from './held.js';
import { GOLDEN_SET, longWorks } from './long-works.js';
import { percentile } from './measure.js';
import { notebook } from './notebook.js';
import { type OtherViewer, startOtherViewer } from './other-viewer.js';
import { memoryOf } from './resources.js';
import { benchmark, type Row, type Run, readOptions } from './run.js';
import { bearerOf, SCHOOL_SETTINGS } from './school.js';

const options = readOptions({ cards: 20_000, cases: 1_000, data: null, only: '' });
const { cards: CARDS, cases: CASES } = options;
const SMALL_CARDS = 300;
const OTHER_CARDS = 3_000;
/** Cases in the large school. */
const LARGE_CASES = 20;
/** Measured before each work, because the load of the machine changes. */
const QUIET_MS = 10_000;
/** 150 searches of the other viewer: with 50, two slow ones decide the p95. */
const LEAST_MS = 15_000;
/** Cases of one request. */
const CASES_A_TIME = 500;
const LEARNING = 'learning of weights in three schools';
/** After the start of the other viewer, in ms: the quiet seconds end just before a gateway begins to learn. */
const LEARNING_STARTS_MS = 95_000;

/** Every fifth card repeats the question before it with insignificant differences. */
function withDuplicates(cards: readonly NewCard[]): readonly NewCard[] {
  return cards.map((card, place) =>
    place % 5 === 4 ? { ...card, questionText: `${cards[place - 1]?.questionText ?? ''} 请作答` } : card,
  );
}

/** Stores the cards unless an earlier run did, and waits until searches find them. */
async function load(run: Run, owner: Client, admin: Client, cards: readonly NewCard[]): Promise<void> {
  const { cards: known } = await owner.ask<{ cards: { totalCount: number } }>('{ cards(first: 1) { totalCount } }');
  if (known.totalCount !== cards.length) {
    await owner.import(cards.map((card) => `${JSON.stringify(card)}\n`).join(''));
  }
  await indexedAll(run, () => admin.pending());
}

const SAVE = 'mutation ($input: SaveGoldenSetInput!) { saveGoldenSet(input: $input) { name } }';
const ADD = 'mutation ($set: String!, $case: GoldenCaseInput!) { addGoldenCase(set: $set, case: $case) { name } }';

/** Cases of the school, each with its own card as the answer. */
async function saveCases(run: Run, admin: Client, cards: readonly NewCard[], count: number): Promise<void> {
  const { goldenSets } = await admin.ask<{ goldenSets: { caseCount: number }[] }>('{ goldenSets { caseCount } }');
  if (goldenSets[0]?.caseCount === count) return;
  const cases = Array.from({ length: count }, (_, place) => {
    const card = cards[place % cards.length] as NewCard;
    const text = `${place} ${card.questionText.slice(0, 60)}`;
    return { id: `case-${place}`, operation: 'similarQuestions', text, relevant: [{ cardId: card.id, grade: 2 }] };
  });
  await admin.ask(SAVE, { input: { name: GOLDEN_SET, cases: cases.slice(0, CASES_A_TIME) } });
  for await (const one of run.each('storing', 'cases', cases.slice(CASES_A_TIME))) {
    await admin.ask(ADD, { set: GOLDEN_SET, case: one });
  }
}

/** Makes a row of the table for each piece of work. */
class Table {
  constructor(
    private readonly gateway: BenchGateway,
    private readonly watch: LoopWatch,
    private readonly viewer: OtherViewer,
  ) {}

  async row(name: string, work: () => Promise<unknown>, signal: AbortSignal): Promise<Row> {
    await this.viewer.times();
    await delay(QUIET_MS, signal);
    const quietMs = percentile((await this.viewer.times()).search, 0.95);
    await this.watch.longest();
    const began = performance.now();
    let times = 0;
    let longest = 0;
    let problem = '';
    while (performance.now() - began < LEAST_MS && problem === '') {
      const started = performance.now();
      await work().catch((thrown: Error) => {
        problem = thrown.message.slice(0, 100);
      });
      longest = Math.max(longest, performance.now() - started);
      times += 1;
    }
    const hold = await this.watch.longest();
    const { livez, search, errors } = await this.viewer.times();
    const p95 = percentile(search, 0.95);
    return {
      work: name,
      runs: times,
      'the longest, s': longest / 1000,
      'loop blocked: CPU, ms': hold.cpuMs ?? '',
      'elapsed, ms': hold.wallMs,
      'share that waited for a core': hold.waited ?? '',
      '`/livez` p95, ms': percentile(livez, 0.95),
      '`/livez` max, ms': Math.max(...livez),
      'search p95, ms': p95,
      'relative to quiet': p95 / quietMs,
      'search max, ms': Math.max(...search),
      MB: (await memoryOf(this.gateway.pid))?.anonymous ?? '',
      errors: [...Object.entries(errors).map(([code, count]) => `${code} ${count}`), problem].join(' ').trim(),
    };
  }
}

/** The schools of a gateway, a viewer who searches in one of them, and what is measured. */
interface Schools {
  readonly student: Client;
  readonly admin: Client;
  readonly small: Client;
  readonly importer: Client;
  readonly other: Client;
  readonly table: (texts: readonly string[]) => Promise<Table>;
  readonly close: () => Promise<void>;
}

async function startSchools(run: Run, dataDir: string, settings: Readonly<Record<string, string>>): Promise<Schools> {
  const watch = watchLoop();
  Object.assign(process.env, watch.env);
  const gateway = await startBenchGateway(run, dataDir, { ...SCHOOL_SETTINGS, ...settings });
  delete process.env.NODE_OPTIONS;
  const client = async (sub: string, tenant: string, role: string): Promise<Client> =>
    new Client(gateway.url, await bearerOf({ sub, tenant, role }), run.signal);
  const other = await client('ben', 'other', 'admin');
  const closers = new Closers();
  closers.add('gateway', gateway.close);
  run.closers.add('schools', closers.close);
  return {
    student: await client('amy', 'large', 'student'),
    admin: await client('head', 'large', 'admin'),
    small: await client('head', 'small', 'admin'),
    importer: await client('head', 'importing', 'admin'),
    other,
    table: async (texts) => {
      const viewer = startOtherViewer({ url: gateway.url, bearer: other.bearer, texts });
      closers.add('the other viewer', viewer.close);
      await delay(3_000, run.signal);
      return new Table(gateway, watch, viewer);
    },
    close: closers.close,
  };
}

const LEARNED = '{ searchProfiles { learned { learnedAt } } }';
const SEARCH = '{ hybridSearch(text: "分数应用题") { hits { score } } }';

/** Whether weights were learned for the school. */
async function hasLearned(school: Client): Promise<boolean> {
  const { searchProfiles } = await school.ask<{ searchProfiles: { learned: object | null }[] }>(LEARNED);
  return searchProfiles.some(({ learned }) => learned !== null);
}

/** Schools are learned from while their indexes are in memory. */
async function measureLearning(run: Run, schools: Schools, texts: readonly string[]): Promise<readonly Row[]> {
  const pupils = [schools.admin, schools.small, schools.other];
  if ((await Promise.all(pupils.map(hasLearned))).some((learned) => learned)) {
    console.log('learning of weights: not measured, an earlier run has learned them');
    return [];
  }
  for (const pupil of pupils) await pupil.ask(SEARCH);
  const table = await schools.table(texts);
  await delay(LEARNING_STARTS_MS, run.signal);
  const row = await table.row(
    LEARNING,
    async () => {
      while (!(await Promise.all(pupils.map(hasLearned))).every((learned) => learned)) await delay(500, run.signal);
    },
    run.signal,
  );
  return [row];
}

await benchmark(async (run) => {
  if (options.data !== null) await mkdir(options.data, { recursive: true });
  const dataDir = options.data ?? (await temporaryFolder(run.closers));
  const only = options.only.split(',');
  const isAsked = (name: string): boolean => only.some((text) => name.includes(text));
  const others = notebook(OTHER_CARDS, 7);
  const texts = others.slice(0, 200).map(({ questionText }) => questionText);
  const schools = await startSchools(run, dataDir, { LEARN_WEIGHTS: 'false' });
  const { student, admin, small, importer, other } = schools;
  const smalls = notebook(SMALL_CARDS, 8);
  await load(run, other, other, others);
  await load(run, small, small, smalls);
  const cards = withDuplicates(notebook(CARDS));
  await load(run, student, admin, cards);
  await saveCases(run, small, smalls, CASES);
  await saveCases(run, admin, cards, LARGE_CASES);
  const table = await schools.table(texts);
  const nothing = { name: 'nothing', work: () => delay(LEAST_MS, run.signal) };
  const rows: Row[] = [];
  try {
    const asked = [nothing, ...longWorks({ student, admin, small, importer })].filter(({ name }) => isAsked(name));
    for await (const { name, work } of run.each('measuring', 'pieces of work', asked)) {
      rows.push(await table.row(name, work, run.signal));
    }
    await schools.close();
    if (isAsked(LEARNING)) rows.push(...(await measureLearning(run, await startSchools(run, dataDir, {}), texts)));
  } finally {
    run.report('long work', rows);
  }
});
