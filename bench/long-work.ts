/**
 * What do others notice while somebody keeps the gateway at work for long?
 *
 *     node dist/bench/long-work.js [--cards 20000] [--cases 1000] [--data DIR] [--only TEXT]
 *
 * One school has so many cards, of which every fifth is typed twice, and a golden set of so many cases; another has 3,000
 * cards. A viewer of the other school asks `/livez` 50 times a second and searches ten times a second, from a process of its
 * own; one thing after the other is done in the large school meanwhile, each again and again for five seconds at least. With
 * `--data` the cards stay in a folder for the next run; `--only` does what has the text in its name.
 */
import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { NewCard } from '../src/domain/card.js';
import { delay } from '../src/domain/async.js';
import { startBenchGateway } from './gateway.js';
import { watchLoop } from './held.js';
import { GOLDEN_SET, longWorks } from './long-works.js';
import { percentile } from './measure.js';
import { memoryOf } from './memory.js';
import { notebook } from './notebook.js';
import { startOtherViewer } from './other-viewer.js';
import { bearerOf, Client, SCHOOL_SETTINGS } from './school.js';

const { values: options } = parseArgs({
  options: {
    cards: { type: 'string', default: '20000' },
    cases: { type: 'string', default: '1000' },
    data: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const CARDS = Number(options.cards);
const CASES = Number(options.cases);
const OTHER_CARDS = 3_000;
const QUIET_MS = 10_000;
const LEAST_MS = 5_000;
/** Cases of one request. */
const CASES_A_TIME = 500;

const linesOf = (cards: readonly NewCard[]): string => cards.map((card) => `${JSON.stringify(card)}\n`).join('');

/** Every fifth card asks what the one before it asks, in other words of no weight. */
function withDoubles(cards: readonly NewCard[]): readonly NewCard[] {
  return cards.map((card, place) =>
    place % 5 === 4 ? { ...card, questionText: `${cards[place - 1]?.questionText ?? ''} 请作答` } : card,
  );
}

async function load(client: Client, cards: readonly NewCard[]): Promise<void> {
  const { cards: known } = await client.ask<{ cards: { totalCount: number } }>('{ cards(first: 1) { totalCount } }');
  if (known.totalCount !== cards.length) await client.import(linesOf(cards), { onDuplicate: 'KEEP' });
}

const SAVE = 'mutation ($input: SaveGoldenSetInput!) { saveGoldenSet(input: $input) { name } }';
const ADD = 'mutation ($set: String!, $case: GoldenCaseInput!) { addGoldenCase(set: $set, case: $case) { name } }';

/** Questions of the notebook, each with its own card as the answer. */
async function saveCases(admin: Client, cards: readonly NewCard[]): Promise<void> {
  const { goldenSets } = await admin.ask<{ goldenSets: { caseCount: number }[] }>('{ goldenSets { caseCount } }');
  if (goldenSets[0]?.caseCount === CASES) return;
  const cases = Array.from({ length: CASES }, (_, place) => {
    const card = cards[place % cards.length] as NewCard;
    const relevant = [{ cardId: card.id, grade: 2 }];
    return { id: `case-${place}`, operation: 'similarQuestions', text: card.questionText.slice(0, 60), relevant };
  });
  await admin.ask(SAVE, { input: { name: GOLDEN_SET, cases: cases.slice(0, CASES_A_TIME) } });
  for (const one of cases.slice(CASES_A_TIME)) await admin.ask(ADD, { set: GOLDEN_SET, case: one });
}

const ms = (value: number): string => (Number.isFinite(value) ? value.toFixed(value < 10 ? 1 : 0) : '-');

const watch = watchLoop();
if (options.data !== undefined) await mkdir(options.data, { recursive: true });
Object.assign(process.env, watch.env);
const gateway = await startBenchGateway(options.data ?? null, SCHOOL_SETTINGS);
delete process.env.NODE_OPTIONS;
const client = async (sub: string, tenant: string, role: string): Promise<Client> =>
  new Client(gateway.url, await bearerOf({ sub, tenant, role }));
const student = await client('amy', 'large', 'student');
const admin = await client('head', 'large', 'admin');
const other = await client('ben', 'other', 'admin');
const others = notebook(OTHER_CARDS, 7);
const cards = withDoubles(notebook(CARDS));
try {
  await load(other, others);
  await other.indexed();
  await load(student, cards);
  console.log(`${CARDS} cards are stored; their index is waited for`);
  await admin.indexed();
  await saveCases(admin, cards);
  const viewer = startOtherViewer({
    url: gateway.url,
    bearer: other.bearer,
    texts: others.slice(0, 200).map(({ questionText }) => questionText),
  });
  try {
    await delay(3_000);
    let quiet = Number.NaN;
    const row = async (name: string, run: () => Promise<unknown>, least: number): Promise<void> => {
      await viewer.times();
      await watch.longest();
      const began = performance.now();
      let times = 0;
      let most = 0;
      let problem = '';
      while (performance.now() - began < least && problem === '') {
        const started = performance.now();
        await run().catch((thrown: Error) => {
          problem = thrown.message.slice(0, 100);
        });
        most = Math.max(most, performance.now() - started);
        times += 1;
      }
      const hold = await watch.longest();
      const { livez, search, errors } = await viewer.times();
      const p95 = percentile(search, 0.95);
      if (Number.isNaN(quiet)) quiet = p95;
      const cells = [
        name,
        `${times} × ${(most / 1000).toFixed(1)} s`,
        ms(hold.wallMs),
        ms(hold.cpuMs ?? Number.NaN),
        ms(Math.max(...livez)),
        ms(percentile(livez, 0.95)),
        ms(p95),
        (p95 / quiet).toFixed(1),
        ms(Math.max(...search)),
        ((await memoryOf(gateway.pid))?.anonymous ?? Number.NaN).toFixed(0),
        [...Object.entries(errors).map(([code, count]) => `${code} ${count}`), problem].join(' ').trim() || '-',
      ];
      console.log(`| ${cells.join(' | ')} |`);
    };
    console.log(
      '\n| work | done | loop held, ms | of it CPU | livez max | livez p95 | search p95 | x quiet | search max | MB | errors |',
    );
    console.log('|---|---|---|---|---|---|---|---|---|---|---|');
    await row('nothing', () => delay(QUIET_MS), 1);
    for (const { name, run } of longWorks({ student, admin })) {
      if (name.includes(options.only)) await row(name, run, LEAST_MS);
    }
  } finally {
    await viewer.close();
  }
} finally {
  await gateway.close();
}
