/** The models that turn texts into vectors, and the one that reads two texts together. */
import type { Perspective } from '../perspective.js';

/** What makes two vectors comparable; vectors of two identities never meet. */
export interface ModelIdentity {
  /** `builtin`, the model's Hugging Face id, or `openai:` and what the endpoint calls it. */
  readonly name: string;
  readonly dims: number;
  readonly dtype: string;
  /** Grows when the same texts would give other vectors. */
  readonly version: number;
}

/** The identity as one string: `builtin:512:f32:1`. */
export function modelKey(model: ModelIdentity): string {
  return [model.name, model.dims, model.dtype, model.version].join(':');
}

/** A text that is searched for, or one that is searched in: some models embed them differently. */
export type TextKind = 'query' | 'passage';

/** A model that turns texts into vectors. */
export interface Embedder {
  readonly model: ModelIdentity;
  /** The longest text that one vector can stand for, in characters. */
  readonly maxChars: number;
  /** Where the cosines of this model begin, 0 .. 1, whatever two texts have in common; null where its authors do not say. */
  readonly lowestCosine: number | null;
  /** Whether the text has anything to embed; a text of only punctuation may have nothing. */
  embeds(text: string): boolean;
  /**
   * One unit vector a text (`Float32Array[dims]`), in order; the same text always gives the same vector, up to the rounding
   * of 32-bit floats where it was computed in other company.
   */
  embed(
    texts: readonly string[],
    kind: TextKind,
    perspective: Perspective,
    signal: AbortSignal,
  ): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

/** How often a text's vector was known, and how often it had to be computed, since the start. */
export interface CacheHits {
  readonly hits: number;
  readonly misses: number;
}

/**
 * The models at hand. While an index of another model still answers, its model is here too: a query is embedded by the model
 * of the vectors that it is compared with, and by no other.
 */
export interface EmbedderSource {
  /** The one that the settings name: new indexes are of it. */
  readonly current: Embedder;
  /** The embedder whose {@link modelKey} this is; null where this gateway cannot make such vectors. */
  of(modelKey: string): Embedder | null;
  /** No index is of this model any more: what is kept for it is given up. The current one stays. */
  retire(modelKey: string): Promise<void>;
  /** Of all models together. */
  readonly cacheHits: CacheHits;
}

/** A model that reads a query and a text together and says how well they fit. */
export interface Reranker {
  /** `Xenova/bge-reranker-base:q8` */
  readonly name: string;
  /**
   * One raw logit a text, in order; above 0 where they fit better than not. UnavailableError (`reranker`) where the model is
   * away, the signal's reason once it aborts.
   */
  score(query: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
}
