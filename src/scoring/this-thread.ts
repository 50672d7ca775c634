import type { Scorer, ScoringPass, ScoringTask } from '../domain/ports/scoring.js';
import { Scratch } from '../lexical/arrays.js';
import { PassScoring } from './score-pass.js';

/** Runs passes in the thread that asks for them. */
export class ThisThread implements Scorer {
  readonly #scoring = new PassScoring();
  readonly #room = new Scratch(Float64Array);

  async run<P extends ScoringPass, T>(task: ScoringTask<P, T>): Promise<T> {
    return this.runHere(task);
  }

  runHere<P extends ScoringPass, T>({ make, read }: ScoringTask<P, T>): T {
    const pass = make();
    const byCard = this.#room.zeros(pass.cards);
    const tookMs = this.#scoring.score(pass, byCard);
    return read({ byCard, tookMs }, pass);
  }
}
