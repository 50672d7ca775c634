import type { Turns, Urgency } from './turns.js';

/** What came of one text: its vector, not yet checked, or why it has none. */
export type Embedded = Float32Array | Error;

/** A model behind a process or a network, as the embedder in front of it sees it. */
export interface Backend {
  /** A run takes one. */
  readonly turns: Turns;
  /** How much one run may hold so that what is urgent need not wait long: the rest waits for another turn. */
  readonly runLimits: () => { readonly texts: number; readonly chars: number };
  /**
   * One outcome a text, in order. Rejects with UnavailableError where the model is away, and with any other error where one
   * of the texts may be to blame.
   */
  run(texts: readonly string[], urgency: Urgency, signal: AbortSignal): Promise<readonly Embedded[]>;
}
