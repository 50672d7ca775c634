import { ChromaConnection } from '../../chroma/client.js';
import { ChromaCollections } from '../../chroma/collections.js';
import { openDatabase } from '../../prisma/client.js';
import { DirtySignal } from '../../prisma/dirty.js';
import { installationId } from '../../prisma/installation.js';
import { PostgresIndexLedger } from '../../prisma/ledger.js';
import { pendingMigrations } from '../../prisma/migrate.js';
import type { Config } from '../config.js';
import { Closers } from '../lifecycle.js';
import { modelIdentity } from '../models/spec.js';
import { type Generation, modelKey } from '../ports.js';
import { type Finding, ok, problem, warning } from './finding.js';

const PART = 'index';

/** Whether the index that answers is of the chosen model, and whether its collections take its vectors. */
export async function checkIndex({ database, chroma, embedding }: Config): Promise<Finding> {
  if (database.kind === 'embedded' || chroma.kind === 'embedded') {
    return ok(PART, 'looked at when the embedded servers run: ask indexStatus');
  }
  if ((await pendingMigrations(database.url)).length > 0) return ok(PART, 'there is none yet');
  const closers = new Closers();
  try {
    const open = await openDatabase(database.url);
    closers.add('database', () => open.close());
    const connection = new ChromaConnection(() => chroma.url);
    closers.add('Chroma client', () => connection.close());
    const collections = new ChromaCollections(connection, await installationId(open));
    const generations = await new PostgresIndexLedger(open, new DirtySignal()).generations();
    const live = generations.filter(({ state }) => state === 'live');
    const chosen = modelIdentity(embedding);
    const others = live.filter((one) => one.modelKey !== modelKey(chosen));
    for (const generation of live) await collections.probe(generation, { ...chosen, dims: dimsOf(generation) });
    if (live.length === 0) return ok(PART, 'there is none yet');
    if (others.length === 0) return ok(PART, `of the model ${modelKey(chosen)}, and its collections answer`);
    return warning(
      PART,
      `${others.length} of ${live.length} are of another model than ${modelKey(chosen)}: ${others[0]?.modelKey}`,
      'a start builds them anew beside the old ones, which answer until then; indexStatus tells how far that is',
    );
  } catch (thrown) {
    return problem(PART, (thrown as Error).message, 'a start builds what is lost anew from PostgreSQL');
  } finally {
    await closers.close();
  }
}

/** The length of a generation's vectors: the third part from the end of its model key. */
function dimsOf({ modelKey: key }: Generation): number {
  return Number(key.split(':').at(-3));
}
