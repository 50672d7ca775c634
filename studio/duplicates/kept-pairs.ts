import { useState } from 'preact/hooks';
import { store, stored } from '../app/preferences.js';
import { personOf, useSession } from '../app/session.js';
import type { Pair } from './pairs.js';

/** The oldest are forgotten: about 60 kB a person, of the 5 MB that a browser gives to a site. */
const MAX_KEPT = 1_000;

type Kept = readonly string[];

/** With the revisions, so that a pair of which a card was changed is shown again. */
export function keyOf({ into, from }: Pick<Pair, 'into' | 'from'>): string {
  return [into, from]
    .map(({ id, revision }) => `${id}@${revision}`)
    .sort()
    .join(' ');
}

/** What another version of the page, or somebody by hand, has stored may be anything. */
export function keptIn(text: string | null): Kept {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

export function withKept(kept: Kept, key: string): Kept {
  return [...new Set([...kept, key])].slice(-MAX_KEPT);
}

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
