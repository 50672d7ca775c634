import type { Lanes } from './score-pass.js';

/** To a scoring thread. Shared memory is not copied. */
export interface LanesMessage {
  readonly id: number;
  readonly lanes: Lanes;
  /** Filled by the thread. */
  readonly sums: Float64Array;
}

/** From a scoring thread, when `sums` is filled or the lanes have failed. */
export type LanesReply =
  | { readonly id: number; readonly tookMs: readonly number[] }
  | { readonly id: number; readonly message: string; readonly stack: string };
