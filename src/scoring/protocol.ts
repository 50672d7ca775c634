import type { ScoringPass } from '../domain/ports/scoring.js';

/** To a scoring thread. Shared memory is not copied. */
export interface PassMessage {
  readonly id: number;
  readonly pass: ScoringPass;
  /** Filled by the thread. */
  readonly byCard: Float64Array;
}

/** From a scoring thread, when `byCard` is filled or the pass has failed. */
export type PassReply =
  | { readonly id: number; readonly tookMs: readonly number[] }
  | { readonly id: number; readonly message: string; readonly stack: string };
