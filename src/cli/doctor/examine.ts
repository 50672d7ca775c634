import type { Config } from '../../config/settings.js';
import { type Finding, found, warning } from './finding.js';
import { checkIndex } from './index-models.js';
import { checkDisk, checkGlibc, checkMemory, checkNode } from './machine.js';
import { checkEmbedder, checkReranker, modelMegabytes } from './models.js';
import { checkChroma, checkDatabase, checkDataDir } from './servers.js';

/**
 * Checks everything that may be misconfigured; creates no data directory. Yields each finding as soon as it is known.
 */
export async function* examine(config: Config, misspelt: readonly string[]): AsyncGenerator<Finding> {
  if (misspelt.length > 0) yield warning('settings', misspelt.join(' '), 'correct the names');
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  yield checkNode(process.versions.node);
  yield checkGlibc(header.glibcVersionRuntime ?? null, process.platform);
  yield found('memory', 'choose another model', async () => checkMemory(modelMegabytes(config)));
  yield found('data directory', 'set DATA_DIR to a writable folder', () => checkDataDir(config));
  yield found('disk', 'check the disk', () => checkDisk('disk', config.dataDir));
  yield found('disk for models', 'check MODELS_DIR', () => checkDisk('disk for models', config.models.folder));
  const isEmbedded = config.database.kind === 'embedded';
  const databaseAdvice = isEmbedded
    ? 'repair that, or set DATABASE_URL to a server of your own'
    : 'check DATABASE_URL and the server';
  yield found('PostgreSQL', databaseAdvice, () => checkDatabase(config));
  yield found('Chroma', 'check CHROMA_URL and the server', () => checkChroma(config));
  yield found('embedding model', 'check EMBEDDING_MODEL and its settings', () => checkEmbedder(config));
  yield found('reranker', 'check RERANKER_MODEL', () => checkReranker(config));
  yield found('index', 'check the servers first', () => checkIndex(config));
}
