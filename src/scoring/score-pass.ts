import type { Scorer, ScoringPass, ScoringTask } from '../domain/ports/scoring.js';
import type { LaneKind } from '../domain/search.js';
import { Scratch } from '../lexical/arrays.js';
import { DenseScoring } from './dense-lane.js';
import { LexicalScoring } from './lexical-lane.js';

/** Lanes of a pass whose scores are added up. */
export type Lanes = Pick<ScoringPass, 'lanes' | 'numbers'>;

/** The dense and the lexical lanes, which take about the same time: two threads can score a half each. */
export function halvesOf({ lanes, numbers }: ScoringPass): readonly [dense: Lanes, lexical: Lanes] {
  const half = (wanted: LaneKind): Lanes => ({ lanes: lanes.filter(({ kind }) => kind === wanted), numbers });
  return [half('DENSE'), half('LEXICAL')];
}

/** What both halves gave for each of their lanes, by lane of the pass. */
export function byLane<T>(
  { lanes }: ScoringPass,
  [dense, lexical]: readonly [readonly T[], readonly T[]],
): readonly T[] {
  const rest = { DENSE: dense.values(), LEXICAL: lexical.values() };
  return lanes.map(({ kind }) => rest[kind].next().value as T);
}

/** Replaces the sums of one half by the scores of the pass, given those of the other. */
export function combine({ laneBits, shares }: ScoringPass, sums: Float64Array, others: Float64Array): void {
  const textBits = shares.length - 1;
  for (let card = 0; card < sums.length; card++) {
    const sum = (sums[card] as number) + (others[card] as number);
    sums[card] = sum * (shares[(laneBits[card] as number) & textBits] as number);
  }
}

/** Scores lanes, those of one pass at a time, with arrays that it uses again. */
export class LaneScoring {
  readonly #dense = new DenseScoring();
  readonly #lexical = new LexicalScoring();

  /** Fills `sums` (`Float64Array[cards]`) with each card's sum over the lanes; returns the time of each in ms. */
  score({ lanes, numbers }: Lanes, sums: Float64Array): readonly number[] {
    sums.fill(0);
    try {
      return lanes.map((lane) => {
        const started = performance.now();
        if (lane.kind === 'DENSE') this.#dense.add(lane, sums);
        else this.#lexical.add(lane, numbers, sums);
        return performance.now() - started;
      });
    } finally {
      this.#dense.end();
    }
  }
}

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
