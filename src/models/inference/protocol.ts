/** What the gateway and its inference process say to each other; vectors cross as binary. */

/** How the states of a text's tokens become one vector: their mean, that of the first token, or that of the last. */
export type Pooling = 'mean' | 'cls' | 'last_token';

/** The number formats that transformers.js knows files for. */
export const DTYPES = ['fp32', 'fp16', 'q8', 'int8', 'uint8', 'q4', 'q4f16', 'bnb4'] as const;
/** One of {@link DTYPES}. */
export type Dtype = (typeof DTYPES)[number];

/** A model on disk and how to read its answers. */
export interface LocalModel {
  /** Holds `<repository>/config.json` and so on. */
  readonly folder: string;
  /** `Xenova/bge-small-zh-v1.5` */
  readonly repository: string;
  readonly dtype: Dtype;
  /** Longer inputs are cut here. */
  readonly maxTokens: number;
  /** Null for a cross-encoder, which answers one logit and no vector. */
  readonly pooling: Pooling | null;
}

/** One piece of work: the texts' vectors, or, with a query, one logit a text. Small, so that what is urgent waits for little. */
export interface Job {
  readonly id: number;
  readonly model: LocalModel;
  readonly query: string | null;
  readonly texts: readonly string[];
}

/** What the inference process hears. */
export type Order =
  | { readonly kind: 'run'; readonly job: Job }
  /** Nobody waits for the job any more: it may end before its next run. */
  | { readonly kind: 'cancel'; readonly id: number }
  /** The model is not needed any more: its memory is given back. */
  | { readonly kind: 'unload'; readonly model: LocalModel };

/** What came of a job. */
export interface Outcome {
  /** `texts x width`; whatever belongs to a text with a problem means nothing. */
  readonly values: Float32Array;
  /** The length of a vector; 1 for logits. */
  readonly width: number;
  /** For each text why it has no vector, or null. */
  readonly problems: readonly (string | null)[];
  readonly tookMs: number;
}

/** What the inference process tells. */
export type News =
  | { readonly kind: 'ready' }
  /** The job's model is in memory, and its first run begins. */
  | { readonly kind: 'begun'; readonly id: number }
  | { readonly kind: 'done'; readonly id: number; readonly outcome: Outcome }
  /** The model could not be loaded, or the job was cancelled. */
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string };
