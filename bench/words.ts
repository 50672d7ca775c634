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
import { inTurns } from '../src/domain/async.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import { loadTenant } from '../src/indexing/load-tenant.js';
import { LexicalIndex } from '../src/lexical/lexical-index.js';
import { buildHash } from '../src/lexical/snapshots/build-hash.js';
import { SnapshotFiles } from '../src/lexical/snapshots/snapshot-files.js';
import { analyserOf } from '../src/lexical/terms.js';
import { createLog } from '../src/observability/log.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { startDatabase } from './database.js';
import { temporaryFolder } from './gateway.js';
import { longestTurn } from './measure.js';
import { collectGarbage } from './memory.js';
import { notebook } from './notebook.js';
import { benchmark, readArguments } from './run.js';

const CARDS = Number(readArguments({}).files[0] ?? 50_000);
const CHANGED = Math.ceil(CARDS / 100);
const { tenantId } = DEFAULT_VIEWER;

const log = createLog('warn');

/** Connections that work at once. */
const AT_A_TIME = 8;

/** Milliseconds, and the longest that others had to wait for the thread meanwhile. */
async function timed(work: () => Promise<unknown>): Promise<{ tookMs: number; blockedMs: number }> {
  let tookMs = 0;
  const started = performance.now();
  const blockedMs = await longestTurn(async () => {
    await work();
    tookMs = performance.now() - started;
  });
  return { tookMs, blockedMs };
}

const row = (name: string, { tookMs, blockedMs }: { tookMs: number; blockedMs: number }, more = ''): void => {
  const ms = (value: number): string => value.toFixed(0).padStart(6);
  console.log(`${name.padEnd(44)}${ms(tookMs)} ms, event loop blocked for at most ${ms(blockedMs)} ms${more}`);
};

/** What is in use, without what only waits to be collected. */
function memory(): NodeJS.MemoryUsage {
  collectGarbage();
  return process.memoryUsage();
}

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

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
  const first = await timed(async () => {
    index = await start();
  });
  const after = memory();
  console.log(`${CARDS} cards; ${mebibytes(index.bytes)} in the arrays of the index; memory of the process:`);
  for (const kind of ['rss', 'heapUsed', 'arrayBuffers'] as const) {
    console.log(`  ${kind.padEnd(14)} ${mebibytes(before[kind])} before, ${mebibytes(after[kind])} after`);
  }
  row('loaded, every card read', first);
  row('snapshot written', await timed(() => store.write(tenantId, index.snapshot())));
  const again = await timed(start);
  row('loaded from the snapshot', again, `: ${(first.tookMs / again.tookMs).toFixed(0)} x faster`);
  await run.together('changing', 'cards', notebook(CHANGED), AT_A_TIME, ({ id }) =>
    cards.update(DEFAULT_VIEWER, `${id}`, { questionText: 'x + 1 = 2' }, null),
  );
  row(`ready, from the copy, ${CHANGED} cards changed`, await timed(start));
  const others = notebook(2 * CHANGED)
    .slice(CHANGED)
    .map(({ id }) => `${id}`);
  const same = await ledger.cards(tenantId, others, signal);
  const reindexed = await timed(() => inTurns(same.values(), (card) => index.set(card)));
  row(
    `${same.size} unchanged cards indexed again`,
    reindexed,
    `: ${(reindexed.tookMs / same.size).toFixed(2)} ms each`,
  );
});
