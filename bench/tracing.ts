/** What predictions of answers are compared with, and how. */

import { sigmoid } from '../src/practice/mastery/gaussian.js';
import type { Answer } from '../src/practice/mastery/rating.js';

/** Predicts an answer before it hears it. */
export interface Predictor {
  probability(answer: Answer): number;
  update(answer: Answer): void;
}

export interface Quality {
  readonly auc: number;
  readonly logLoss: number;
  readonly rmse: number;
  /** The mean distance between what was predicted and what came, over ten equally large groups by prediction. */
  readonly calibration: number;
}

export function qualityOf(predicted: readonly number[], correct: readonly boolean[]): Quality {
  const order = predicted.map((_, place) => place).sort((a, b) => (predicted[a] as number) - (predicted[b] as number));
  let [logLoss, squares, calibration, ranks, positives] = [0, 0, 0, 0, 0];
  for (const [place, p] of predicted.entries()) {
    const y = correct[place] === true ? 1 : 0;
    const safe = Math.min(1 - 1e-6, Math.max(1e-6, p));
    logLoss -= y === 1 ? Math.log(safe) : Math.log(1 - safe);
    squares += (y - p) ** 2;
    positives += y;
  }
  for (let at = 0; at < order.length; ) {
    let end = at;
    while (end < order.length && predicted[order[end] as number] === predicted[order[at] as number]) end += 1;
    // Equal predictions share their ranks.
    for (let place = at; place < end; place += 1) if (correct[order[place] as number]) ranks += (at + end + 1) / 2;
    at = end;
  }
  for (let group = 0; group < 10; group += 1) {
    const slice = order.slice(Math.floor((group * order.length) / 10), Math.floor(((group + 1) * order.length) / 10));
    const off = slice.reduce((sum, place) => sum + (predicted[place] as number) - (correct[place] ? 1 : 0), 0);
    calibration += Math.abs(off) / order.length;
  }
  const rows = predicted.length;
  const auc = (ranks - (positives * (positives + 1)) / 2) / (positives * (rows - positives));
  return { auc, logLoss: logLoss / rows, rmse: Math.sqrt(squares / rows), calibration };
}

/** How often an item was answered right by the others. */
export class ItemMean implements Predictor {
  readonly #counts = new Map<string, { right: number; all: number }>();
  #right = 1;
  #all = 2;

  constructor(known: readonly Answer[]) {
    for (const { item, correct } of known) {
      const count = this.#counts.get(item) ?? { right: 0, all: 0 };
      this.#counts.set(item, count);
      count.right += correct ? 1 : 0;
      count.all += 1;
      this.#right += correct ? 1 : 0;
      this.#all += 1;
    }
  }

  probability({ item }: Answer): number {
    const { right, all } = this.#counts.get(item) ?? { right: 0, all: 0 };
    // Five answers of all items are added, as an item may have been answered once.
    return (right + 5 * (this.#right / this.#all)) / (all + 5);
  }

  update(): void {}
}

/**
 * Elo in twenty lines, as it is often compared with: the surprise moves ability, ability in the skills, and difficulty.
 */
export class Elo implements Predictor {
  readonly #values = new Map<string, number>();
  readonly #counts = new Map<string, number>();

  probability({ student, item, skills }: Answer): number {
    const value = (key: string): number => this.#values.get(key) ?? 0;
    const own = skills.reduce((sum, skill) => sum + value(`${student} ${skill}`), 0) / Math.max(1, skills.length);
    return sigmoid(value(`u ${student}`) + own - value(`i ${item}`));
  }

  update(answer: Answer): void {
    const surprise = (answer.correct ? 1 : 0) - this.probability(answer);
    const move = (key: string, direction: number): void => {
      const count = this.#counts.get(key) ?? 0;
      this.#counts.set(key, count + 1);
      this.#values.set(key, (this.#values.get(key) ?? 0) + (direction * surprise) / (1 + 0.05 * count));
    };
    move(`u ${answer.student}`, 0.5);
    move(`i ${answer.item}`, -0.8);
    for (const skill of answer.skills) move(`${answer.student} ${skill}`, 0.5);
  }
}
