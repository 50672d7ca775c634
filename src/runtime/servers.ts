import type { CollectionsClaim } from '../../chroma/claim.js';
import type { ChromaConnection } from '../../chroma/client.js';
import { type Config, dataFolders } from '../config/settings.js';
import type { Closers } from '../domain/async.js';
import { asError, StartupError } from '../domain/errors.js';
import type { Log } from '../domain/ports/log.js';
import type { Indexer } from '../indexing/indexer.js';
import type { ReconciliationLoop } from '../indexing/reconciliation-loop.js';
import { startChroma } from './embedded/chroma.js';
import { startPostgres } from './embedded/postgres.js';
import type { EmbeddedLog } from './embedded/supervise.js';

/**
 * Attempts at the first call to Chroma, whose deadline is that of a search: a busy server may miss one. If nobody
 * listens, all of them fail at once.
 */
const CHROMA_ATTEMPTS = 5;

export interface Servers {
  readonly databaseUrl: string;
  /** Call it before each use: the port of an embedded server may change with a restart. */
  readonly chromaUrl: () => string;
  /** State of each embedded server, for readiness; empty if both are external. */
  readonly states: () => Readonly<Record<string, string>>;
  /** Runs the first call to Chroma. StartupError (69) that names an external server that does not answer. */
  readonly expectChroma: (ping: () => Promise<void>) => Promise<void>;
  /** Called after each restart of the embedded Chroma. */
  readonly onChromaRestart: (listener: () => void) => void;
  /** Restarts an embedded Chroma that hangs or fails every write or load; no-op for an external one. */
  readonly restartChroma: () => Promise<void>;
}

/** Starts the embedded servers in parallel; `closers` stop them. */
export async function startServers(
  config: Config,
  parts: {
    readonly log: EmbeddedLog;
    readonly announce: (line: string) => void;
    readonly closers: Closers;
    readonly signal: AbortSignal;
  },
): Promise<Servers> {
  const { log, announce, closers, signal } = parts;
  const folders = dataFolders(config.dataDir);
  const starting = [
    config.database.kind === 'embedded' ? 'PostgreSQL' : null,
    config.chroma.kind === 'embedded' ? 'Chroma' : null,
  ].filter((name) => name !== null);
  if (starting.length > 0) announce(`Starting ${starting.join(' and ')} in ${config.dataDir} ...`);

  const [postgres, chroma] = await Promise.allSettled([
    config.database.kind === 'embedded' ? startPostgres({ dataDir: folders.postgres, log, signal }) : null,
    config.chroma.kind === 'embedded' ? startChroma({ dataDir: folders.chroma, log, signal }) : null,
  ]);
  for (const [name, outcome] of [['PostgreSQL', postgres] as const, ['Chroma', chroma] as const]) {
    const server = outcome.status === 'fulfilled' ? outcome.value : null;
    if (server !== null) closers.add(name, () => server.close());
  }
  if (postgres.status === 'rejected') throw postgres.reason;
  if (chroma.status === 'rejected') throw chroma.reason;
  const chromaUrl = (): string => chroma.value?.url() ?? externalUrl(config.chroma);
  return {
    databaseUrl: postgres.value?.url ?? externalUrl(config.database),
    chromaUrl,
    expectChroma: async (ping) => {
      for (let attempt = 1; ; attempt += 1) {
        signal.throwIfAborted();
        try {
          return await ping();
        } catch (cause) {
          if (attempt < CHROMA_ATTEMPTS) continue;
          const message = `the Chroma server at ${chromaUrl()} cannot be used: ${asError(cause).message}`;
          throw new StartupError(message, 69, { cause });
        }
      }
    },
    states: () => ({
      ...(postgres.value === null ? {} : { postgres: postgres.value.state }),
      ...(chroma.value === null ? {} : { chroma: chroma.value.state }),
    }),
    onChromaRestart: (listener) => {
      chroma.value?.onRestart(listener);
    },
    restartChroma: async () => {
      log.warn({ part: 'chroma' }, 'Chroma is running but does not answer, or fails every write or load');
      await chroma.value?.restart();
    },
  };
}

function externalUrl(server: Config['database']): string {
  if (server.kind !== 'external') throw new StartupError('a server is neither embedded nor configured', 78);
  return server.url;
}

export interface WatchChromaParts {
  readonly servers: Pick<Servers, 'onChromaRestart' | 'restartChroma'>;
  readonly chroma: ChromaConnection;
  readonly claim: Pick<CollectionsClaim, 'onRegained'>;
  readonly indexer: Pick<Indexer, 'resume'>;
  readonly reconciliation: Pick<ReconciliationLoop, 'look'>;
  readonly log: Pick<Log, 'error'>;
}

/**
 * Resumes indexing when Chroma is back, has the index compared when data may be lost, and restarts a Chroma that is
 * stuck.
 */
export function watchChroma({ servers, chroma, claim, indexer, reconciliation, log }: WatchChromaParts): void {
  const onBack = (): void => {
    indexer.resume();
    reconciliation.look();
  };
  servers.onChromaRestart(() => {
    chroma.cameBack();
    onBack();
  });
  chroma.onRecovery(onBack);
  claim.onRegained(onBack);
  // Its outage was only a load: it need not wait for the end of its pause.
  chroma.onLoaded(indexer.resume);
  chroma.onLoss(reconciliation.look);
  chroma.onStuck(() => {
    servers
      .restartChroma()
      .catch((thrown: unknown) => log.error({ err: asError(thrown) }, 'Chroma could not be stopped'));
  });
}
