import { useLayoutEffect, useState } from 'preact/hooks';
import { useQuery } from '../api/use-query.js';
import { GoldenSets, type GoldenSetsResult } from '../generated/operations.js';

type Sets = GoldenSetsResult['goldenSets'];

/** Sets of a page: the most that the gateway gives. */
const LISTED = 100;

/** All sets, page by page; null before the last page is there. */
export function useGoldenSets() {
  const [before, setBefore] = useState<Sets>([]);
  const { data, error, loading, reload } = useQuery(GoldenSets, {
    first: LISTED,
    after: before.at(-1)?.cursor ?? null,
  });
  const page = loading ? null : (data?.goldenSets ?? null);
  const goesOn = page !== null && page.length === LISTED;
  useLayoutEffect(() => {
    if (goesOn) setBefore([...before, ...page]);
  });
  return { sets: page === null || goesOn ? null : [...before, ...page], error, reload };
}
