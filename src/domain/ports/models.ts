/** Ports: embedding models and the cross-encoder. */

import type { Perspective } from '../perspective.js';
import type { Pause } from '../steps.js';

/** Vectors can be compared only if their model identities are equal. */
export interface ModelIdentity {
  /** `builtin`, the model's Hugging Face id, or `openai:` and what the endpoint calls it. */
  readonly name: string;
  readonly dims: number;
  readonly dtype: string;
  /** Incremented when the same texts get different vectors. */
  readonly version: number;
}

/** Number formats of transformers.js's model files. */
export const DTYPES = ['fp32', 'fp16', 'q8', 'int8', 'uint8', 'q4', 'q4f16', 'bnb4'] as const;
export type Dtype = (typeof DTYPES)[number];

/** The identity as one string: `builtin:512:f32:1`. */
export function modelKey(model: ModelIdentity): string {
  return [model.name, model.dims, model.dtype, model.version].join(':');
}

/** Some models embed queries and passages differently. */
export type TextKind = 'query' | 'passage';

export interface Embedder {
  readonly model: ModelIdentity;
  /** Maximum length of a text, in characters. */
  readonly maxChars: number;
  /** The cosine of unrelated texts, 0 .. 1; null if its authors do not state it. */
  readonly lowestCosine: number | null;
  /** False if the text has nothing to embed, as one of only punctuation. */
  embeds(text: string): boolean;
  /**
   * One unit vector for each text (`Float32Array[dims]`), in order; the same text always gives the same vector, up to
   * the rounding of 32-bit floats in a different batch. A model in this process pauses between parts of many texts.
   */
  embed(
    texts: readonly string[],
    kind: TextKind,
    perspective: Perspective,
    signal: AbortSignal,
    pause?: Pause,
  ): Promise<readonly Float32Array[]>;
}

/** Hits and misses of the embedding cache since the start. */
export interface CacheHits {
  readonly hits: number;
  readonly misses: number;
}

/**
 * The available models. While an index of another model is live, its model is available too: a query is only compared
 * with vectors of the model that embedded it.
 */
export interface EmbedderSource {
  /** The configured model, used for new indexes. */
  readonly current: Embedder;
  /** The embedder with this {@link modelKey}; null if it is unavailable. */
  of(modelKey: string): Embedder | null;
  /** Releases the resources of a model that no index uses any more; no-op for the current one. */
  retire(modelKey: string): Promise<void>;
  /** Of all models together. */
  readonly cacheHits: CacheHits;
}

export interface Reranker {
  /** `Xenova/bge-reranker-base:q8` */
  readonly name: string;
  /**
   * One raw logit for each text, in order; above 0 for a relevant text. UnavailableError (`reranker`) if the model is
   * unavailable, the signal's reason once it aborts.
   */
  score(query: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
}
