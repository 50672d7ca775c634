import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ChromaConnection } from '../../../chroma/client.js';
import { bindingCandidates } from '../../../chroma/server.js';
import { databaseAddress } from '../../../prisma/address.js';
import { openDatabase } from '../../../prisma/client.js';
import { pendingMigrations } from '../../../prisma/migrate.js';
import { type Config, dataFolders } from '../../config/settings.js';
import { StartupError } from '../../domain/errors.js';
import { EXIT } from '../../domain/exit-codes.js';
import { cacheDir } from '../../runtime/embedded/cache-dir.js';
import { lockDataDir } from '../../runtime/embedded/data-lock.js';
import { folderProblem } from '../../runtime/embedded/folder.js';
import { binariesForEveryone, installedBinaries } from '../../runtime/embedded/postgres-binaries.js';
import { refuseOtherMajor } from '../../runtime/embedded/postgres-cluster.js';
import { type Finding, ok, problem, warning } from './finding.js';

/** Checks that the data directory is writable, or can be created. One in use by a gateway is fine. */
export async function checkDataDir({ dataDir }: Config): Promise<Finding> {
  const part = 'data directory';
  if (!existsSync(dataDir)) {
    const reason = await folderProblem(dataDir);
    if (reason !== null) throw new StartupError(`${dataDir} cannot be created: ${reason}`, EXIT.configuration);
    return ok(part, `${dataDir} does not exist; a start creates it`);
  }
  try {
    const lock = await lockDataDir(dataDir);
    await lock.release();
    return ok(part, dataDir);
  } catch (thrown) {
    if (thrown instanceof StartupError && thrown.exitCode === EXIT.retry) return ok(part, thrown.message);
    throw thrown;
  }
}

export async function checkDatabase({ database, dataDir }: Config): Promise<Finding> {
  const part = 'PostgreSQL';
  if (database.kind === 'embedded') {
    await refuseOtherMajor(dataFolders(dataDir).postgres);
    const root = process.getuid?.() === 0;
    const { version } = await installedBinaries();
    if (root) await binariesForEveryone();
    return ok(part, `embedded, ${version}; a start brings its tables up to date`);
  }
  // Throws if the server is too old.
  const open = await openDatabase(database.url);
  const isReadOnly = await open.isReadOnly().finally(() => open.close());
  const { where } = databaseAddress(database.url);
  if (isReadOnly) {
    return problem(part, `${where} is read-only`, 'name the primary server in DATABASE_URL, or let it accept writes');
  }
  const pending = await pendingMigrations(database.url);
  if (pending.length === 0) return ok(part, `${where} answers, and its tables are up to date`);
  return warning(part, `${where} answers; to be migrated: ${pending.join(', ')}`, 'a start does that by itself');
}

export async function checkChroma({ chroma, chromaAccess }: Config): Promise<Finding> {
  const part = 'Chroma';
  if (chroma.kind === 'external') {
    const connection = new ChromaConnection(() => chroma.url, chromaAccess);
    try {
      await connection.open();
      return ok(part, `${new URL(chroma.url).host} answers`);
    } finally {
      await connection.close();
    }
  }
  const reasons: string[] = [];
  for (const binding of bindingCandidates(cacheDir())) {
    const problemOfIt = loads(binding);
    if (problemOfIt === null) return ok(part, `embedded: ${binding}`);
    reasons.push(problemOfIt);
  }
  return problem(
    part,
    `no embedded Chroma can be loaded: ${reasons.join('; ')}`,
    'run `npm run setup`, or set CHROMA_URL',
  );
}

/** Null if the native module loads, otherwise the problem; in a child process, because it may crash. */
function loads(binding: string): string | null {
  const require = createRequire(import.meta.url);
  let path: string;
  try {
    path = require.resolve(binding);
  } catch {
    return `${binding} is not installed`;
  }
  const { status, stderr } = spawnSync(process.execPath, ['-e', 'require(process.argv[1])', path], {
    encoding: 'utf8',
  });
  if (status === 0) return null;
  return `${binding}: ${/Error: (.*)/.exec(stderr)?.[1] ?? `it ended with ${status}`}`;
}
