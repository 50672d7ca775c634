import type { Config } from '../../config/settings.js';
import type { InferenceLog } from '../../models/inference/inference.js';
import { type Finding, found } from './finding.js';
import { checkIndex } from './index-models.js';
import { checkDisk, checkGlibc, checkMemory, checkNode } from './machine.js';
import { checkEmbedder, checkReranker, modelMegabytes } from './models.js';
import { checkChroma, checkDatabase, checkDataDir } from './servers.js';

/** Checks everything that may be misconfigured; changes nothing. Yields each finding as soon as it is known. */
export async function* examine(config: Config, log: InferenceLog): AsyncGenerator<Finding> {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  yield checkNode(process.versions.node);
  yield checkGlibc(header.glibcVersionRuntime ?? null, process.platform);
  yield found('memory', 'choose another model', async () => checkMemory(modelMegabytes(config)));
  yield found('data directory', 'set DATA_DIR to a folder that can be written', () => checkDataDir(config));
  yield found('disk', 'look at the disk', () => checkDisk('disk', config.dataDir));
  yield found('disk for models', 'look at MODELS_DIR', () => checkDisk('disk for models', config.models.folder));
  yield found('PostgreSQL', 'look at DATABASE_URL and at the server', () => checkDatabase(config));
  yield found('Chroma', 'look at CHROMA_URL and at the server', () => checkChroma(config));
  yield found('embedding model', 'look at EMBEDDING_MODEL and its settings', () => checkEmbedder(config, log));
  yield found('reranker', 'look at RERANKER_MODEL', () => checkReranker(config, log));
  yield found('index', 'look at the servers first', () => checkIndex(config));
}
