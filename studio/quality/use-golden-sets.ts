import { useAnswer } from '../api/use-query.js';
import { GoldenSets, type GoldenSetsResult } from '../generated/operations.js';

type Sets = GoldenSetsResult['goldenSets'];

/** Sets of a page: the most that the gateway gives. */
const LISTED = 100;

/** All sets; null before the last page is there. */
export function useGoldenSets() {
  return useAnswer('GoldenSets', async (api, signal) => {
    const sets: Sets[number][] = [];
    for (let after: string | null = null; ; ) {
      const { goldenSets }: GoldenSetsResult = await api.run(GoldenSets, { first: LISTED, after }, signal);
      sets.push(...goldenSets);
      if (goldenSets.length < LISTED) return sets;
      after = goldenSets.at(-1)?.cursor ?? null;
    }
  });
}
