import { useLayoutEffect, useState } from 'preact/hooks';
import { useQuery } from '../api/use-query.js';
import { store, stored } from '../app/preferences.js';
import { personOf, useSession } from '../app/session.js';
import { storedTexts } from '../app/stored-texts.js';
import { Duplicates } from '../generated/operations.js';
import { keyOf, type Pair, pairsOf, withKept } from './pairs.js';

/** Clusters in an answer. Twice as many exceed the complexity that the gateway allows. */
const LISTED = 50;

/** The pairs of the first page that has one to look at: without those that are `done`, and those that are kept. */
export function useDuplicates(done: ReadonlySet<string>, isKept: (pair: Pair) => boolean) {
  /** The pages before, whose pairs are kept. */
  const [passed, setPassed] = useState<Passed>(NONE);
  const { data, error, loading, reload } = useQuery(Duplicates, { first: LISTED, after: passed.cursor });
  const clusters = data?.duplicates ?? [];
  const last = clusters.at(-1)?.cursor ?? null;
  // Until the next answer, the last one has pairs that are passed.
  const all = last === passed.cursor ? [] : clusters.flatMap(pairsOf).filter(({ id }) => !done.has(id));
  const pairs = all.filter((one) => !isKept(one));
  const kept = all.length - pairs.length;
  /** There may be more. */
  const isFull = clusters.length >= LISTED;
  const goesOn = !loading && isFull && kept > 0 && pairs.length === 0;
  // Before the page says that nothing is left.
  useLayoutEffect(() => {
    if (goesOn) setPassed({ cursor: last, kept: passed.kept + kept });
  });
  return {
    isLoaded: data !== null,
    error,
    loading: loading || goesOn,
    pairs,
    isFull,
    /** How many kept pairs are not shown. */
    hidden: passed.kept + kept,
    reload,
    /** Lists from the first pair on. */
    begin: (): void => {
      setPassed(NONE);
      reload();
    },
  };
}

interface Passed {
  /** Of the last cluster. */
  readonly cursor: string | null;
  readonly kept: number;
}

const NONE: Passed = { cursor: null, kept: 0 };

/** The pairs of which this person keeps both cards. The API stores no such decision, so the browser does. */
export function useKeptPairs() {
  const place = `kept-pairs ${personOf(useSession().viewer)}`;
  const [kept, setKept] = useState<readonly string[]>(() => storedTexts(stored(place)));
  /** Since the page was opened, by ids: a merge into one of the cards changes its revision. */
  const [justKept, setJustKept] = useState<readonly string[]>([]);
  const set = (changed: readonly string[]): void => {
    store(place, JSON.stringify(changed));
    setKept(changed);
  };
  return {
    has: (pair: Pair): boolean => justKept.includes(pair.id) || kept.includes(keyOf(pair)),
    keep: (pair: Pair): void => {
      // Another tab may have stored others.
      const text = stored(place);
      set(withKept(text === null ? kept : storedTexts(text), keyOf(pair)));
      setJustKept([...justKept, pair.id]);
    },
    clear: (): void => {
      set([]);
      setJustKept([]);
    },
  };
}
