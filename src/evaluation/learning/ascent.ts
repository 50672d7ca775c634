import type { ProfileSettings } from '../../domain/profile.js';
import { mean } from '../statistics.js';
import type { Hyperparameter } from './search-space.js';

/** Objective of each case for some settings, 0 .. 1; repeated settings are answered from memory. */
export type Worth = (settings: ProfileSettings) => Promise<readonly number[]>;

/** Rounds over all hyperparameters; the second one rarely changed anything, and the third never did. */
const ROUNDS = 3;

/** A better mean by less than this is rounding. */
const LEAST_GAIN = 1e-9;

/**
 * Coordinate ascent: one hyperparameter after the other is set to its best value while the others are fixed, until none
 * changes. Deterministic. `cases` are indexes into the result of `worth`.
 */
export async function ascend(
  start: ProfileSettings,
  knobs: readonly Hyperparameter[],
  cases: readonly number[],
  worth: Worth,
): Promise<ProfileSettings> {
  const meanOf = async (settings: ProfileSettings): Promise<number> => {
    const values = await worth(settings);
    return mean(cases.map((place) => values[place] as number));
  };
  let best = start;
  let most = await meanOf(start);
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = best;
    for (const { choices } of knobs) {
      const standing = best;
      for (const choice of choices) {
        const tried = { ...standing, ...choice };
        const value = await meanOf(tried);
        if (value <= most + LEAST_GAIN) continue;
        best = tried;
        most = value;
      }
    }
    if (best === before) break;
  }
  return best;
}
