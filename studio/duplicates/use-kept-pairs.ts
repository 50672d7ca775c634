import { useState } from 'preact/hooks';
import { store, stored } from '../app/preferences.js';
import { personOf, useSession } from '../app/session.js';
import { type Kept, keptIn, keyOf, withKept } from './kept-pairs.js';
import type { Pair } from './pairs.js';

/** The pairs of which this person keeps both cards. The API stores no such decision, so the browser does. */
export function useKeptPairs() {
  const place = `kept-pairs ${personOf(useSession().viewer)}`;
  const [kept, setKept] = useState<Kept>(() => keptIn(stored(place)));
  /** Since the page was opened, by ids: a merge into one of the cards changes its revision. */
  const [justKept, setJustKept] = useState<Kept>([]);
  const set = (changed: Kept): void => {
    store(place, JSON.stringify(changed));
    setKept(changed);
  };
  return {
    has: (pair: Pair): boolean => justKept.includes(pair.id) || kept.includes(keyOf(pair)),
    keep: (pair: Pair): void => {
      // Another tab may have stored others.
      const text = stored(place);
      set(withKept(text === null ? kept : keptIn(text), keyOf(pair)));
      setJustKept([...justKept, pair.id]);
    },
    clear: (): void => {
      set([]);
      setJustKept([]);
    },
  };
}
