import type { Config } from '../config/settings.js';
import { StartupError } from '../domain/errors.js';
import { offlineProblem } from './files/ensure.js';
import { rerankerModel } from './reranker.js';
import { embedderSpec } from './spec.js';

/** Problems of the configured models that can be detected on this machine: one line each, beginning with the variable. */
export async function modelProblems({
  embedding,
  rerankerModel: reranker,
  models,
}: Pick<Config, 'embedding' | 'rerankerModel' | 'models'>): Promise<readonly string[]> {
  const problems: string[] = [];
  try {
    const spec = embedderSpec(embedding);
    const missing = spec.kind === 'local' ? await offlineProblem(spec, embedding.dtype, models) : null;
    if (missing !== null) problems.push(`EMBEDDING_MODEL: ${missing}`);
  } catch (thrown) {
    if (!(thrown instanceof StartupError)) throw thrown;
    problems.push(thrown.message);
  }
  if (reranker !== null) {
    const missing = await offlineProblem({ ...rerankerModel(reranker, models.folder), name: reranker }, null, models);
    if (missing !== null) problems.push(`RERANKER_MODEL: ${missing}`);
  }
  return problems;
}
