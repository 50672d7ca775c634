/**
 * How much disk does a small school take, how fast are its cards indexed, and how long does a start with thousands of
 * schools take?
 *
 *     npm run bench -- schools [--schools 10] [--cards 200] [--copies 2000]
 *
 * Two runs, each with its own PostgreSQL and Chroma: all vectors in Chroma (CHROMA_ABOVE_CARDS=0), and those of small
 * schools in PostgreSQL. `--schools` schools import `--cards` cards each; prints by how much the disk space of
 * PostgreSQL, Chroma and the gateway's own files grows, and how many files and sockets Chroma has open. Then the first
 * school is copied in PostgreSQL until there are `--copies` of it, and the gateway is started again: the time until it
 * listens, and of the first searches of 50 schools that it has not loaded, and the processor time of its first
 * reconciliation, which compares as many schools as fit into its five minutes. Copies have no collections, so the run
 * with Chroma leaves this out.
 */
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import pg from 'pg';
import { AnsweredError } from '../src/cli/gateway-client.js';
import { abortable, Closers } from '../src/domain/async.js';
import { createLog } from '../src/observability/log.js';
import { startChroma } from '../src/runtime/embedded/chroma.js';
import { startPostgres } from '../src/runtime/embedded/postgres.js';
import { Client } from './client.js';
import { sumOf } from './cpu.js';
import { firstPass, passEnded } from './first-pass.js';
import { forkGateway, indexedAll, listening, temporaryFolder } from './gateway.js';
import { percentile } from './measure.js';
import { notebook } from './notebook.js';
import { folderSize, memoryOf, openFilesOf } from './resources.js';
import { benchmark, type Run, range, readOptions } from './run.js';
import { bearerOf, SCHOOL_SETTINGS } from './school.js';

const { schools: SCHOOLS, cards: CARDS, copies: COPIES } = readOptions({ schools: 10, cards: 200, copies: 2000 });
const ASKED = 50;
const MIB = 2 ** 20;

/** Tables of a school that searches need, in the order in which they refer to each other. */
const TABLES = [
  ...['topic_tag', 'error_type', 'card', 'card_topic_tag', 'card_error_type', 'card_occurrence'],
  ...['index_generation', 'card_index', 'index_vector'],
];

const SEARCH = '{ hybridSearch(text: "分数 加法", topK: 10) { hits { card { id } } } }';

/** On a busy machine a first search may be late; loading the school goes on, and it is asked again. */
function onDeadline(thrown: unknown): boolean {
  if (thrown instanceof AnsweredError && thrown.code === 'DEADLINE_EXCEEDED') return false;
  throw thrown;
}

/** Schools copied in one statement. */
const COPIED_AT_ONCE = 50;

const tenantOf = (place: number): string => `school-${place}`;

async function started(run: Run, settings: Readonly<Record<string, string>>) {
  const closers = new Closers();
  run.closers.add('gateway', closers.close);
  const before = performance.now();
  const all = { ...SCHOOL_SETTINGS, SEED_SAMPLE: 'false', ...settings, LOG_LEVEL: 'info' };
  const child = forkGateway(closers, all, 'pipe');
  const pass = passEnded(child.stderr as Readable);
  const url = await abortable(listening(child), run.signal);
  const clientOf = async (place: number): Promise<Client> =>
    new Client(url, await bearerOf({ sub: 'bench', tenant: tenantOf(place), role: 'admin' }), run.signal);
  return { pid: child.pid ?? 0, startMs: performance.now() - before, pass, clientOf, close: closers.close };
}

async function copySchools(run: Run, client: pg.Client): Promise<void> {
  // Neither triggers nor foreign keys: the copies are whole.
  await client.query('SET session_replication_role = replica');
  const starts = range(Math.max(0, Math.ceil((COPIES - SCHOOLS) / COPIED_AT_ONCE)));
  for await (const start of run.each('copying', `times ${COPIED_AT_ONCE} schools`, starts)) {
    const first = SCHOOLS + start * COPIED_AT_ONCE;
    for (const table of TABLES) {
      const { rows } = await client.query<{ name: string }>(
        `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = current_schema()
         AND table_name = $1 AND column_name <> 'tenant_id' AND is_generated = 'NEVER'`,
        [table],
      );
      const columns = rows.map(({ name }) => `"${name}"`).join(', ');
      await client.query(
        `INSERT INTO "${table}" (tenant_id, ${columns}) SELECT 'school-' || n, ${columns} FROM "${table}",
         generate_series($1::int, $2::int) n WHERE tenant_id = 'school-0' ORDER BY n`,
        [first, Math.min(COPIES, first + COPIED_AT_ONCE) - 1],
      );
    }
  }
  await client.query('ANALYZE');
}

async function measure(run: Run, way: string, above: string): Promise<void> {
  const closers = new Closers();
  run.closers.add(way, closers.close);
  const folder = await temporaryFolder(closers);
  const log = createLog('error');
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), log, signal: run.signal });
  closers.add('PostgreSQL', () => postgres.close());
  const chroma = await startChroma({ dataDir: join(folder, 'chroma'), log, signal: run.signal });
  closers.add('Chroma', () => chroma.close());
  const settings = {
    DATA_DIR: join(folder, 'own'),
    DATABASE_URL: postgres.url,
    CHROMA_URL: chroma.url(),
    CHROMA_ABOVE_CARDS: above,
  };
  let gateway = await started(run, settings);
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  closers.add('connection', () => client.end());
  const disk = async () => {
    const { rows } = await client.query<{ size: string }>('SELECT pg_database_size(current_database()) AS size');
    const [inChroma, own] = [await folderSize(join(folder, 'chroma')), await folderSize(join(folder, 'own'))];
    return { postgres: Number(rows[0]?.size), chroma: inChroma, own };
  };
  const before = await disk();
  const lines = notebook(CARDS).map(({ id: _, ...card }) => `${JSON.stringify(card)}\n`);
  const clients = await Promise.all(range(SCHOOLS).map(gateway.clientOf));
  const begun = performance.now();
  for await (const one of run.each(way, 'schools', clients)) await one.import(lines.join(''));
  const pending = async (): Promise<number> => {
    let sum = 0;
    for (const one of clients) sum += await one.pending();
    return sum;
  };
  await indexedAll(run, pending);
  const perSecond = (1_000 * SCHOOLS * CARDS) / (performance.now() - begun);
  const openFiles = await openFilesOf(chroma.pid ?? 0);
  await gateway.close();
  const after = await disk();
  const share = (part: keyof typeof after): number => (after[part] - before[part]) / SCHOOLS / MIB;
  run.report(way, [
    {
      [`${SCHOOLS} schools of ${CARDS} cards`]: way,
      'PostgreSQL, MiB a school': share('postgres'),
      'Chroma, MiB': share('chroma'),
      'own files, MiB': share('own'),
      'open files of Chroma': openFiles ?? Number.NaN,
      'stored and searchable, cards/s': perSecond,
    },
  ]);
  if (above !== '0' && COPIES > SCHOOLS) {
    await copySchools(run, client);
    gateway = await started(run, settings);
    const times: number[] = [];
    for await (const place of run.each('first searches', 'schools', range(ASKED))) {
      const school = await gateway.clientOf(SCHOOLS + Math.floor((place * (COPIES - SCHOOLS)) / ASKED));
      const asked = performance.now();
      for (let answered = false; !answered; ) {
        answered = await school.ask(SEARCH).then(() => true, onDeadline);
      }
      times.push(performance.now() - asked);
    }
    const memory = (await memoryOf(gateway.pid))?.anonymous ?? Number.NaN;
    const { postgres: size } = await disk();
    run.report('start', [
      {
        schools: COPIES,
        'cards each': CARDS,
        'start, s': gateway.startMs / 1_000,
        asked: ASKED,
        'first search p50, ms': percentile(times, 0.5),
        p95: percentile(times, 0.95),
        'memory, MB': memory,
        'PostgreSQL, GiB': size / 2 ** 30,
      },
    ]);
    const { generations, tookMs, cpu } = await firstPass(run, gateway.pass);
    run.report('first reconciliation', [
      {
        'schools compared': generations,
        'took, s': tookMs / 1_000,
        'processor time, s': sumOf(cpu) / 1_000,
        ...Object.fromEntries([...cpu].map(([name, ms]) => [`of ${name}`, ms / 1_000])),
        'memory, MB': (await memoryOf(gateway.pid))?.anonymous ?? Number.NaN,
      },
    ]);
    await gateway.close();
  }
  await closers.close();
}

await benchmark(async (run) => {
  await measure(run, 'all in Chroma', '0');
  await measure(run, 'small in PostgreSQL', '1000');
});
