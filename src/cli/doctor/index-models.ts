import { ChromaConnection } from '../../../chroma/client.js';
import { createChromaVectors } from '../../../chroma/create-chroma.js';
import { openDatabase } from '../../../prisma/client.js';
import { PostgresIndexAudit } from '../../../prisma/indexing/audit.js';
import { DirtySignal } from '../../../prisma/indexing/dirty.js';
import { PostgresVectors } from '../../../prisma/indexing/index-vectors.js';
import { PostgresIndexLedger } from '../../../prisma/indexing/ledger.js';
import { installationId } from '../../../prisma/installation.js';
import { pendingMigrations } from '../../../prisma/migrate.js';
import type { Config } from '../../config/settings.js';
import { Closers } from '../../domain/async.js';
import { NO_FOREGROUND } from '../../domain/background.js';
import { asError, IndexLostError } from '../../domain/errors.js';
import type { Generation } from '../../domain/ports/ledger.js';
import { modelKey } from '../../domain/ports/models.js';
import { scanConsistency } from '../../indexing/consistency-scan.js';
import { modelIdentity } from '../../models/spec.js';
import { vectorStores } from '../../vectors/vector-stores.js';
import { type Finding, ok, problem, warning } from './finding.js';

const PART = 'index';

const LOST =
  'set CHROMA_URL to the server of the other gateways; if there are none, a start rebuilds what is lost from PostgreSQL';

/** Checks that the live index is of the configured model, and that its collections fit the model and the cards. */
export async function checkIndex({ database, chroma, chromaAccess, embedding }: Config): Promise<Finding> {
  if (database.kind === 'embedded' || chroma.kind === 'embedded') {
    return ok(PART, 'not checked with embedded servers: query indexStatus of the running gateway');
  }
  if ((await pendingMigrations(database.url)).length > 0) return ok(PART, 'there is none yet');
  const closers = new Closers();
  try {
    const open = await openDatabase(database.url);
    closers.add('database', () => open.close());
    const connection = new ChromaConnection(() => chroma.url, chromaAccess);
    closers.add('Chroma client', () => connection.close());
    const ledger = new PostgresIndexLedger(open, new DirtySignal());
    const inChroma = createChromaVectors(connection, await installationId(open));
    const inPostgres = new PostgresVectors(open);
    const vectorStore = vectorStores({ inChroma, inPostgres, ledger });
    const generations = await ledger.generations();
    const live = generations.filter(({ state }) => state === 'live');
    const chosen = modelIdentity(embedding);
    const others = live.filter((one) => one.modelKey !== modelKey(chosen));
    for (const generation of live) await vectorStore.probe(generation, { ...chosen, dims: dimsOf(generation) });
    if (live.length === 0) return ok(PART, 'there is none yet');
    const parts = {
      audit: new PostgresIndexAudit(open, new DirtySignal()),
      vectorStore,
      // There is no vector cache here.
      cache: { get: () => undefined },
      random: Math.random,
      background: NO_FOREGROUND,
    };
    const wrong = new Map<string, number>();
    for (const generation of live) {
      const found = await scanConsistency(parts, generation, new AbortController().signal);
      for (const kind of ['missing', 'stale', 'orphans', 'unreachable'] as const) {
        wrong.set(kind, (wrong.get(kind) ?? 0) + found[kind].size);
      }
    }
    const differing = [...wrong].filter(([, cards]) => cards > 0);
    if (differing.length > 0) {
      return warning(
        PART,
        `cards differ from their records: ${differing.map(([kind, cards]) => `${cards} ${kind}`).join(', ')}`,
        'a gateway repairs this automatically, a minute after its start and every 15 minutes; indexStatus shows the result',
      );
    }
    if (others.length === 0) {
      return ok(PART, `built with the model ${modelKey(chosen)}; its collections answer and match the cards`);
    }
    return warning(
      PART,
      `${others.length} of ${live.length} were built with another model than ${modelKey(chosen)}: ${others[0]?.modelKey}`,
      'the gateway rebuilds them after its start, and uses the old ones until then; indexStatus shows the progress',
    );
  } catch (thrown) {
    const advice = thrown instanceof IndexLostError ? LOST : 'check the servers first';
    return problem(PART, asError(thrown).message, advice);
  } finally {
    await closers.close();
  }
}

/** The length of a generation's vectors: the third part from the end of its model key. */
function dimsOf({ modelKey: key }: Generation): number {
  return Number(key.split(':').at(-3));
}
