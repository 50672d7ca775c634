/**
 * How long does reading and writing a card take?
 *
 *     npm run bench -- cards [--cards 1000] [--rounds 300] [--against FOLDER]
 *
 * Medians of the operations of the card store, one at a time, on a PostgreSQL of its own: response time and processor
 * time of this process, in ms. `--against` alternates with the same operations of another checkout (compiled, with the
 * same migrations), and prints the median ratio of each.
 */
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { packageRoot } from '../src/config/package-root.js';
import type { NewCard } from '../src/domain/card.js';
import type { CardStore } from '../src/domain/ports/cards.js';
import { DEFAULT_VIEWER, type Viewer } from '../src/domain/viewer.js';
import { startDatabase, temporaryFolder } from './gateway.js';
import { percentile } from './measure.js';
import { notebook } from './notebook.js';
import { benchmark, type Run, range, readOptions } from './run.js';

/** Rounds that are not counted. */
const WARM_UP = 50;

const options = readOptions({ cards: 1_000, rounds: 300, against: null });
const stored = notebook(options.cards);
const drafts = notebook(stored.length, 2);
const idOf = (round: number): string => String(stored[round % stored.length]?.id);
const draftOf = (round: number): NewCard => ({ ...(drafts[round % drafts.length] as NewCard), id: null });

type Operations = Readonly<Record<string, (round: number) => Promise<unknown>>>;

/** One round of each operation. */
function operations(cards: CardStore, viewer: Viewer): Operations {
  let created = '';
  return {
    create: async (round) => {
      created = (await cards.create(viewer, draftOf(round))).id;
    },
    'create with a request key': (round) => cards.create(viewer, draftOf(round), { key: randomUUID(), body: '' }),
    'update notes': (round) => cards.update(viewer, idOf(round), { notes: randomUUID() }, null),
    'update question': (round) =>
      cards.update(viewer, idOf(round), { questionText: `${round} ${draftOf(round).questionText}` }, null),
    'update labels, solution': (round) => {
      const { topicTags, errorTypes } = draftOf(round);
      return cards.update(viewer, idOf(round), { topicTags, errorTypes, studentSolutionText: randomUUID() }, null);
    },
    'byIds(10)': (round) =>
      cards.byIds(
        viewer,
        range(10).map((place) => idOf(round * 10 + place)),
      ),
    'page(20)': () => cards.page(viewer, {}, { first: 20, after: null }),
    delete: () => cards.delete(viewer, created),
  };
}

interface Cost {
  readonly wall: number[];
  readonly cpu: number[];
}

interface Version {
  readonly work: Operations;
  readonly costs: Map<string, Cost>;
}

/** The card store of the checkout in `folder`, with its own tenant and pool. */
async function openStore({ closers }: Run, folder: string, url: string): Promise<CardStore> {
  const part = (file: string) => import(join(folder, 'dist', file));
  const { openDatabase } = await part('prisma/client.js');
  const { PostgresCardStore } = await part('prisma/cards/cards.js');
  const { DirtySignal } = await part('prisma/indexing/dirty.js');
  const database = await openDatabase(url);
  closers.add(`database of ${folder}`, () => database.close());
  return new PostgresCardStore(database, new DirtySignal());
}

async function measured(work: () => Promise<unknown>): Promise<{ readonly wall: number; readonly cpu: number }> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const wall = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return { wall, cpu: (user + system) / 1000 };
}

await benchmark(async (run) => {
  const { closers } = run;
  const url = await startDatabase(run, await temporaryFolder(closers));

  const folders = [packageRoot(), ...(options.against === null ? [] : [resolve(options.against)])];
  const versions: Version[] = [];
  for (const [number, folder] of folders.entries()) {
    const viewer = { ...DEFAULT_VIEWER, tenantId: `version-${number}` };
    const cards = await openStore(run, folder, url);
    await run.together('storing', 'cards', stored, 8, (card) => cards.create(viewer, card));
    versions.push({ work: operations(cards, viewer), costs: new Map<string, Cost>() });
  }
  const names = Object.keys(versions[0]?.work ?? {});
  for await (const round of run.each('measuring', 'rounds', range(options.rounds, -WARM_UP))) {
    for (const name of names) {
      // The second one finds the server's caches warm, so they alternate.
      for (const { work, costs } of round % 2 === 0 ? versions : versions.toReversed()) {
        const { wall, cpu } = await measured(async () => work[name]?.(round + WARM_UP));
        if (round < 0) continue;
        const cost = costs.get(name) ?? { wall: [], cpu: [] };
        costs.set(name, { wall: [...cost.wall, wall], cpu: [...cost.cpu, cpu] });
      }
    }
  }
  const rows = names.map((name) => {
    const cells = (kind: keyof Cost): Readonly<Record<string, string>> => {
      const [here = [], there] = versions.map(({ costs }) => costs.get(name)?.[kind] ?? []);
      const own = { [`${kind} ms`]: percentile(here, 0.5).toFixed(2) };
      if (there === undefined) return own;
      // Per round, because the load of the machine changes between rounds.
      const ratios = here.map((ms, round) => ms / (there[round] ?? Number.NaN));
      return {
        ...own,
        [`${kind} against`]: percentile(there, 0.5).toFixed(2),
        [`${kind} ratio`]: percentile(ratios, 0.5).toFixed(2),
      };
    };
    return { operation: name, ...cells('wall'), ...cells('cpu') };
  });
  run.report('operations', rows);
});
