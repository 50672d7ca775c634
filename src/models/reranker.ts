import { asError, StartupError, UnavailableError } from '../domain/errors.js';
import type { Reranker } from '../domain/ports/models.js';
import type { EmbeddersParts } from './embedders.js';
import { ensureFiles } from './files/ensure.js';
import { ProcessGoneError } from './inference/process.js';
import type { LocalModel } from './inference/protocol.js';
import { KNOWN_RERANKERS } from './known.js';

/** Assumed of an unknown cross-encoder: most have the limits of a BERT. */
const UNKNOWN = { maxTokens: 512, dtype: 'fp32' } as const;

/** Test input for a cross-encoder. */
const PROBE = { query: '1 + 1', texts: ['1 + 1 = 2'] };

export interface RerankerParts extends Pick<EmbeddersParts, 'files' | 'inference' | 'announce'> {
  /** As in the setting: a known name, or a Hugging Face id. */
  readonly name: string;
}

/** Files of a cross-encoder, by the name in the setting. */
export function rerankerModel(name: string, folder: string): LocalModel {
  const known = KNOWN_RERANKERS.get(name);
  const { maxTokens, dtype } = known ?? UNKNOWN;
  return { folder, repository: known?.repository ?? name, dtype, maxTokens, pooling: null };
}

/** Opens and tests the configured cross-encoder. StartupError as for an embedding model. */
export async function openReranker(parts: RerankerParts, signal: AbortSignal): Promise<Reranker> {
  const { name, files, announce } = parts;
  const reranker = localReranker(parts);
  await ensureFiles({ ...rerankerModel(name, files.folder), name }, null, files, announce, signal);
  await reranker.score(PROBE.query, PROBE.texts, signal).catch((thrown: unknown) => {
    signal.throwIfAborted();
    throw new StartupError(`RERANKER_MODEL ${name} cannot be used: ${asError(thrown).message}`, 69, { cause: thrown });
  });
  return reranker;
}

/** A cross-encoder in the inference process; texts of equal length are run together. */
export function localReranker({ name, files, inference }: Omit<RerankerParts, 'announce'>): Reranker {
  const model = rerankerModel(name, files.folder);
  const named = `${name}:${model.dtype}`;
  return {
    name: named,
    score: async (query, texts, signal) => {
      signal.throwIfAborted();
      if (texts.length === 0) return [];
      try {
        const job = { model, query, texts };
        const { values, problems } = await inference.turns.run(() => inference.run(job, signal));
        const problem = problems.find((one) => one !== null);
        if (problem !== undefined) throw new Error(`${named} has no logit for a text: ${problem}`);
        return [...values];
      } catch (thrown) {
        // Finding the bad text is not worth another process: the order is kept.
        if (thrown instanceof ProcessGoneError) throw new UnavailableError('reranker', thrown.message);
        throw thrown;
      }
    },
  };
}
