/** Messages between the gateway and its inference process; vectors are sent as binary. */
import type { Dtype } from '../../domain/ports/models.js';

/** Pooling of the token states to one vector: mean, first token, or last token. */
export type Pooling = 'mean' | 'cls' | 'last_token';

/** A model on disk and how to read its output. */
export interface LocalModel {
  /** Holds `<repository>/config.json` and so on. */
  readonly folder: string;
  /** `Xenova/bge-small-zh-v1.5` */
  readonly repository: string;
  readonly dtype: Dtype;
  /** Longer inputs are truncated. */
  readonly maxTokens: number;
  /** Null for a cross-encoder, which returns one logit instead of a vector. */
  readonly pooling: Pooling | null;
}

/**
 * Computes the texts' vectors, or, with a query, one logit for each text. Small, so that urgent jobs wait only shortly.
 */
export interface Job {
  readonly id: number;
  readonly model: LocalModel;
  readonly query: string | null;
  readonly texts: readonly string[];
}

/** Messages to the inference process. */
export type Order =
  | { readonly kind: 'run'; readonly job: Job }
  /** Cancels the job before its next run. */
  | { readonly kind: 'cancel'; readonly id: number }
  /** Frees the model's memory. */
  | { readonly kind: 'unload'; readonly model: LocalModel };

export interface Outcome {
  /** `texts x width`; values of a text with a problem are undefined. */
  readonly values: Float32Array;
  /** The length of a vector; 1 for logits. */
  readonly width: number;
  /** For each text its error, or null. */
  readonly problems: readonly (string | null)[];
  readonly tookMs: number;
}

/** Messages of the inference process. */
export type News =
  | { readonly kind: 'ready' }
  /** The job's model is loaded, and its first run starts. */
  | { readonly kind: 'begun'; readonly id: number }
  | { readonly kind: 'done'; readonly id: number; readonly outcome: Outcome }
  /** The model could not be loaded, or the job was cancelled. */
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string };
