import type { Config } from '../config/settings.js';
import type { Closers } from '../domain/async.js';
import { StartupError } from '../domain/errors.js';
import type { ChatModel } from '../domain/ports/chat.js';
import type { Reranker } from '../domain/ports/models.js';
import type { Tokenizer } from '../text/tokenizer.js';
import { WordWeights } from '../text/word-weights.js';
import { BuiltinEmbedder } from './builtin.js';
import { EndpointChat } from './chat.js';
import { Embedders, type EmbeddersParts } from './embedders.js';
import { offlineProblem } from './files/ensure.js';
import { Inference } from './inference/inference.js';
import { openReranker, rerankerModel } from './reranker.js';
import { embedderSpec } from './spec.js';

export interface ModelsParts extends Pick<EmbeddersParts, 'announce'> {
  readonly config: Pick<Config, 'embedding' | 'models' | 'rerankerModel' | 'chat'>;
  readonly folders: { readonly embeddings: string };
  readonly tokenizer: Tokenizer;
  readonly log: EmbeddersParts['log'] & ConstructorParameters<typeof Inference>[0];
  readonly closers: Closers;
  readonly signal: AbortSignal;
}

export interface Models {
  readonly embedders: Embedders;
  /** Null: none is configured. */
  readonly reranker: Reranker | null;
  /** Null: none is configured. It is not tried at the start: nothing but the tutor needs it. */
  readonly chat: ChatModel | null;
}

/** Opens and tests the configured models. StartupError if one of them cannot be used. */
export async function createModels(parts: ModelsParts): Promise<Models> {
  const { config, folders, tokenizer, announce, log, closers, signal } = parts;
  const folder = folders.embeddings;
  const files = config.models;
  const inference = new Inference(log);
  closers.add('inference', () => inference.close());
  const builtin = new BuiltinEmbedder(tokenizer, new WordWeights());
  const embedders = new Embedders({ choice: config.embedding, files, folder, builtin, inference, announce, log });
  closers.add('embedding models', () => embedders.close());
  await embedders.open(signal);
  const { rerankerModel: name } = config;
  const reranker = name === null ? null : await openReranker({ name, files, inference, announce }, signal);
  const chat = config.chat === null ? null : new EndpointChat(config.chat.model, config.chat);
  return { embedders, reranker, chat };
}

/**
 * Problems of the configured models that can be detected on this machine: one line each, beginning with the variable.
 */
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
