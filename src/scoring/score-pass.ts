import type { ScoringPass } from '../domain/ports/scoring.js';
import { DenseScoring } from './dense-lane.js';
import { LexicalScoring } from './lexical-lane.js';

/** Runs passes, one at a time, with arrays that it uses again. */
export class PassScoring {
  readonly #dense = new DenseScoring();
  readonly #lexical = new LexicalScoring();

  /** Fills `byCard` (`Float64Array[cards]`); returns the time of each lane in ms. */
  score({ lanes, numbers, laneBits, shares }: ScoringPass, byCard: Float64Array): readonly number[] {
    byCard.fill(0);
    const tookMs = this.#addAll({ lanes, numbers }, byCard);
    const textBits = shares.length - 1;
    for (let card = 0; card < byCard.length; card++) {
      byCard[card] = (byCard[card] as number) * (shares[(laneBits[card] as number) & textBits] as number);
    }
    return tookMs;
  }

  #addAll({ lanes, numbers }: Pick<ScoringPass, 'lanes' | 'numbers'>, byCard: Float64Array): readonly number[] {
    try {
      return lanes.map((lane) => {
        const started = performance.now();
        if (lane.kind === 'DENSE') this.#dense.add(lane, byCard);
        else this.#lexical.add(lane, numbers, byCard);
        return performance.now() - started;
      });
    } finally {
      this.#dense.end();
    }
  }
}
