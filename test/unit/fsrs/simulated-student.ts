import { attemptsOf, someParameters } from '../../../bench/reviewers.js';
import { seededRandom } from '../../../src/evaluation/random.js';

/** A student with parameters of their own, and 7 to 11 reviews of each card. */
export function studentOf(seed: number, spread: number, cards: number) {
  const parameters = someParameters(seededRandom(seed), spread);
  const attempts = (count: number, run: number) =>
    attemptsOf({ parameters, cards: count, days: 200, random: seededRandom(1_000 * seed + run) });
  return { parameters, log: [...attempts(cards, 1).keys()], future: attempts(100, 2) };
}
