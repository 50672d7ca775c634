import { parseConfig } from '../src/config/settings.js';
import type { Embedder } from '../src/domain/ports/models.js';
import { createModels } from '../src/models/create-models.js';
import { createLog } from '../src/observability/log.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { temporaryFolder } from './gateway.js';
import type { Run } from './run.js';

/**
 * The embedder that a gateway has with the `EMBEDDING_*` and `MODELS_*` variables of this environment. StartupError as
 * at its start.
 */
export async function configuredEmbedder({ closers, signal }: Run): Promise<Embedder> {
  const { embedders } = await createModels({
    config: parseConfig(process.env),
    folders: { embeddings: await temporaryFolder(closers) },
    tokenizer: new Tokenizer(),
    announce: console.log,
    log: createLog('warn'),
    closers,
    signal,
  });
  return embedders.current;
}
