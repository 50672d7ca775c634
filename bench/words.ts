/**
 * How long does loading the lexical index of a notebook take at a start, and how much memory does it use?
 *
 *     npm run bench -- words [CARDS]
 *
 * A PostgreSQL of its own with CARDS (50,000) cards. Loads the lexical index from PostgreSQL, as at a first start; from
 * the snapshot on disk; and from the snapshot after one in a hundred cards has changed. Then indexes as many other
 * cards again, with the texts that they have. Filling the database takes some minutes.
 */
import { join } from 'node:path';
import { PostgresCardStore } from '../prisma/cards/cards.js';
import { openDatabase } from '../prisma/client.js';
import { DirtySignal } from '../prisma/indexing/dirty.js';
import { PostgresIndexLedger } from '../prisma/indexing/ledger.js';
import { inTurns } from '../src/domain/steps.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import { loadTenant } from '../src/indexing/load-tenant.js';
import { LexicalIndex } from '../src/lexical/lexical-index.js';
import { buildHash } from '../src/lexical/snapshots/build-hash.js';
import { SnapshotFiles } from '../src/lexical/snapshots/snapshot-files.js';
import { analyserOf } from '../src/lexical/terms.js';
import { createLog } from '../src/observability/log.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { startDatabase, temporaryFolder } from './gateway.js';
import { longestTurn } from './measure.js';
import { notebook } from './notebook.js';
import { collectGarbage } from './resources.js';
import { benchmark, type Row, readArguments } from './run.js';

const CARDS = Number(readArguments({}).files[0] ?? 50_000);
const CHANGED = Math.ceil(CARDS / 100);
const { tenantId } = DEFAULT_VIEWER;

const log = createLog('warn');

/** Connections that work at once. */
const AT_A_TIME = 8;

/** How long the work takes, and the longest that others had to wait for the thread meanwhile. */
async function timed(name: string, work: () => Promise<unknown>): Promise<Row> {
  let tookMs = 0;
  const started = performance.now();
  const blockedMs = await longestTurn(async () => {
    await work();
    tookMs = performance.now() - started;
  });
  return { work: name, 'took, ms': tookMs, 'event loop blocked, ms': blockedMs };
}

/** What is in use, without what only waits to be collected. */
function memory(): NodeJS.MemoryUsage {
  collectGarbage();
  return process.memoryUsage();
}

const MIB = 2 ** 20;

await benchmark(async (run) => {
  const { closers, signal } = run;
  const folder = await temporaryFolder(closers);
  const database = await openDatabase(await startDatabase(run, folder));
  closers.add('database', () => database.close());
  const dirty = new DirtySignal();
  const cards = new PostgresCardStore(database, dirty);
  const ledger = new PostgresIndexLedger(database, dirty);
  await run.together('storing', 'cards', notebook(CARDS), AT_A_TIME, (card) => cards.create(DEFAULT_VIEWER, card));
  await ledger.startGeneration(tenantId, 'bench');

  const store = new SnapshotFiles({ folder: join(folder, 'words'), buildHash: buildHash(), log });
  const analyse = analyserOf(new Tokenizer());
  const quiet = { info: () => undefined, warn: log.warn.bind(log) };
  // As after indexing.
  const indexed = {
    cards: ledger.cards.bind(ledger),
    generations: ledger.generations.bind(ledger),
    versions: ledger.versions.bind(ledger),
    revisions: async () => new Map([...(await ledger.versions(tenantId))].map(([id, { revision }]) => [id, revision])),
  };
  const newIndex = (): LexicalIndex => new LexicalIndex(analyse);
  const start = (): Promise<LexicalIndex> =>
    loadTenant({ ledger: indexed, sharedCache: null, newIndex, store, log: quiet, signal }, tenantId);

  const before = memory();
  let index = newIndex();
  const rows = [
    await timed('loaded, every card read', async () => {
      index = await start();
    }),
  ];
  const after = memory();
  run.report(
    `memory of ${CARDS} cards`,
    (['rss', 'heapUsed', 'arrayBuffers'] as const).map((memory) => ({
      memory,
      'before, MiB': before[memory] / MIB,
      'after, MiB': after[memory] / MIB,
      'arrays of the index, MiB': index.bytes / MIB,
    })),
  );
  rows.push(await timed('snapshot written', () => store.write(tenantId, index.snapshot())));
  rows.push(await timed('loaded from the snapshot', start));
  await run.together('changing', 'cards', notebook(CHANGED), AT_A_TIME, ({ id }) =>
    cards.update(DEFAULT_VIEWER, `${id}`, { questionText: 'x + 1 = 2' }, null),
  );
  rows.push(await timed(`ready, from the snapshot, ${CHANGED} cards changed`, start));
  const others = notebook(2 * CHANGED)
    .slice(CHANGED)
    .map(({ id }) => `${id}`);
  const same = await ledger.cards(tenantId, others, signal);
  const reindex = () => inTurns(same.values(), (card) => index.set(card));
  rows.push(await timed(`${same.size} unchanged cards indexed again`, reindex));
  run.report('loading', rows);
});
