import { type Config, dataFolders } from '../config/settings.js';
import type { Closers } from '../domain/async.js';
import { asError, StartupError } from '../domain/errors.js';
import { startChroma } from './embedded/chroma.js';
import type { Log } from './embedded/options.js';
import { startPostgres } from './embedded/postgres.js';

/** The two servers that the gateway stands on, whether it started them or was told where they are. */
export interface Servers {
  readonly databaseUrl: string;
  /** Asked before each use: an embedded server that was restarted may have moved. */
  readonly chromaUrl: () => string;
  /** What each embedded server is doing, for readiness; empty where both are external. */
  readonly states: () => Readonly<Record<string, string>>;
  /** Runs a first call to Chroma. StartupError (69) that names the server where an external one does not answer. */
  readonly expectChroma: (ping: () => Promise<void>) => Promise<void>;
  /** Called whenever the embedded Chroma has come back. */
  readonly onChromaRestart: (listener: () => void) => void;
  /** Starts the embedded Chroma again, which runs and does not answer; one of your own is left to you. */
  readonly restartChroma: () => Promise<void>;
}

/** Starts what is not external, both at once; what was started is closed by `closers`. */
export async function startServers(
  config: Config,
  parts: {
    readonly log: Log;
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
    expectChroma: (ping) =>
      ping().catch((cause: unknown) => {
        throw new StartupError(`the Chroma server at ${chromaUrl()} cannot be used: ${asError(cause).message}`, 69, {
          cause,
        });
      }),
    states: () => ({
      ...(postgres.value === null ? {} : { postgres: postgres.value.state }),
      ...(chroma.value === null ? {} : { chroma: chroma.value.state }),
    }),
    onChromaRestart: (listener) => {
      chroma.value?.onRestart(listener);
    },
    restartChroma: async () => {
      log.warn({ part: 'chroma' }, 'Chroma runs and has not answered for a minute');
      await chroma.value?.restart();
    },
  };
}

function externalUrl(server: Config['database']): string {
  if (server.kind !== 'external') throw new StartupError('a server is neither embedded nor named', 78);
  return server.url;
}
