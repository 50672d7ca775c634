import { availableParallelism } from 'node:os';
import type { Closers } from '../domain/async.js';
import type { Scorer } from '../domain/ports/scoring.js';
import { ScoringThreads, type ScoringThreadsParts } from './scoring-threads.js';

/**
 * With 5,000 cards a thread spares the event loop a tenth of its time for a search and takes as much more in all; with
 * 20,000 it spares a third (`npm run bench -- threads`).
 */
const LEAST_CARDS = 10_000;

export interface ScoringParts extends Pick<ScoringThreadsParts, 'log'> {
  /**
   * Null: one for each processor core but the first, which the event loop keeps busy, but two on two cores, since the
   * event loop waits during the pass of a single search. None on one core.
   */
  readonly config: { readonly searchThreads: number | null };
  readonly closers: Closers;
}

export function createScoring({ config, log, closers }: ScoringParts): { readonly scorer: Scorer } {
  const cores = availableParallelism();
  const count = config.searchThreads ?? (cores === 1 ? 0 : Math.max(2, cores - 1));
  const scorer = new ScoringThreads({ count, leastCards: LEAST_CARDS, log });
  closers.add('scoring threads', scorer.close);
  return { scorer };
}
