import { useLayoutEffect, useState } from 'preact/hooks';
import { useQuery } from '../api/use-query.js';
import { Duplicates } from '../generated/operations.js';
import { type Pair, pairsOf } from './pairs.js';

/** Clusters in an answer, which has no second page. Twice as many exceed the complexity that the gateway allows. */
const LISTED = 50;

/** As many as a filter can exclude. */
const MAX_PASSED = 100;

/** The pairs to look at: without those that are `done`, and those that are kept. */
export function useDuplicates(done: ReadonlySet<string>, isKept: (pair: Pair) => boolean) {
  /** Cards of kept pairs that are excluded, so that other pairs are listed. */
  const [passed, setPassed] = useState<readonly string[]>([]);
  const filter = passed.length === 0 ? null : { excludeCardIds: passed };
  const { data, error, loading, reload } = useQuery(Duplicates, { first: LISTED, filter });
  // Until the next answer, the last one has pairs that are passed.
  const isListed = ({ id, from }: Pair): boolean => !done.has(id) && !passed.includes(from.id);
  const all = (data?.duplicates ?? []).flatMap(pairsOf).filter(isListed);
  const pairs = all.filter((one) => !isKept(one));
  /** There may be more. */
  const isFull = data !== null && data.duplicates.length >= LISTED;
  const goesOn = !loading && isFull && all.length > 0 && pairs.length === 0 && passed.length < MAX_PASSED;
  // Before the page says that nothing is left.
  useLayoutEffect(() => {
    if (goesOn) setPassed([...passed, ...all.map(({ from }) => from.id)].slice(0, MAX_PASSED));
  });
  return {
    isLoaded: data !== null,
    error,
    loading: loading || goesOn,
    pairs,
    isFull,
    /** How many kept pairs are not shown. */
    hidden: passed.length + all.length - pairs.length,
    reload,
    /** Lists from the first pair on. */
    begin: (): void => {
      setPassed([]);
      reload();
    },
  };
}
