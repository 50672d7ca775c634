import type { Scorer, ScoringPass, ScoringTask } from '../domain/ports/scoring.js';
import { Scratch } from '../lexical/arrays.js';
import { byLane, combine, halvesOf, LaneScoring } from './score-pass.js';

/** Runs passes in the thread that asks for them. */
export class ThisThread implements Scorer {
  readonly #scoring = new LaneScoring();
  readonly #sums = new Scratch(Float64Array);
  readonly #others = new Scratch(Float64Array);

  async run<P extends ScoringPass, T>(task: ScoringTask<P, T>): Promise<T> {
    return this.runHere(task);
  }

  runHere<P extends ScoringPass, T>({ make, read }: ScoringTask<P, T>): T {
    const pass = make();
    const [dense, lexical] = halvesOf(pass);
    const byCard = this.#sums.any(pass.cards);
    const others = this.#others.any(pass.cards);
    const took = [this.#scoring.score(dense, byCard), this.#scoring.score(lexical, others)] as const;
    combine(pass, byCard, others);
    return read({ byCard, tookMs: byLane(pass, took) }, pass);
  }
}
