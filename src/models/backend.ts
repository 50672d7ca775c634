import type { Turns, Urgency } from '../domain/turns.js';

/** Embedding of one text: its vector, not yet validated, or the error. */
export type Embedded = Float32Array | Error;

/** A model in another process or behind a network. */
export interface Backend {
  /** Each run takes one. */
  readonly turns: Turns;
  /** Limits of one run, so that urgent texts wait only shortly. */
  runLimits(): { readonly texts: number; readonly chars: number };
  /**
   * One result for each text, in order. Rejects with UnavailableError if the model is unavailable, and with any other
   * error if one of the texts may be the cause.
   */
  run(texts: readonly string[], urgency: Urgency, signal: AbortSignal): Promise<readonly Embedded[]>;
}
