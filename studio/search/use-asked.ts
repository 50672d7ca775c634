import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { goInstead, type Route } from '../app/router.js';
import { askedOf, searchAddress } from './address.js';
import { type Asked, NOTHING_ASKED } from './state.js';

/** Browsers limit how often a page changes its address: Safari allows 100 changes in 10 s. */
const DEBOUNCE_MS = 300;

/**
 * What is searched for. It is in the address while the search is shown, and kept while other pages are. Changes replace
 * the address: Back leads to the page before.
 */
export function useAsked(route: Route, shown: boolean): readonly [Asked, (part: Partial<Asked>) => void] {
  const [asked, setAsked] = useState<Asked>(() => (shown ? askedOf(route.params) : NOTHING_ASKED));
  /** The last address that was read or written. */
  const known = useRef(searchAddress(asked));
  const change = useCallback((part: Partial<Asked>) => setAsked((before) => ({ ...before, ...part })), []);

  // Both before the browser has a turn: late, the first would undo what is typed, the second replace a followed link.
  useLayoutEffect(() => {
    const given = askedOf(route.params);
    // One that this hook has written may be older than what was typed since.
    if (!shown || searchAddress(given) === known.current) return;
    known.current = searchAddress(given);
    setAsked(given);
    scrollTo({ top: 0 });
  }, [shown, route.params]);
  useLayoutEffect(() => {
    const address = searchAddress(asked);
    if (!shown || address === known.current) return;
    const { hash } = location;
    const timer = setTimeout(() => {
      // A link was followed, and its event is still to come.
      if (location.hash !== hash) return;
      known.current = address;
      goInstead(address);
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [shown, asked]);
  return [asked, change];
}
