import type { ModelIdentity } from '../domain/ports/models.js';
import type { Turns, Urgency } from '../domain/turns.js';

/** Test input for a model. */
export const PROBE = 'x = 1';

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

/** Validates a vector: Chroma accepts any finite values, and a wrong vector would stay. */
export function validated(embedded: Embedded | undefined, { name, dims }: ModelIdentity): Embedded {
  if (embedded === undefined) return new Error('the model returned fewer vectors than texts');
  if (embedded instanceof Error) return embedded;
  if (embedded.length !== dims) return new Error(`${name} returned ${embedded.length} dimensions instead of ${dims}`);
  let squares = 0;
  for (const value of embedded) squares += value * value;
  if (Math.abs(squares - 1) < 1e-3) return embedded;
  return new Error(`${name} returned a vector of squared length ${squares} instead of 1`);
}
