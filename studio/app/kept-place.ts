import { useLayoutEffect } from 'preact/hooks';
import type { Route } from './router.js';

/** What an entry of the browser's history keeps of its page, for Back and Forward. */
interface Kept {
  readonly top?: number;
  /** Titles of the charts whose tables are open. */
  readonly opened?: readonly string[];
}

export function kept(): Kept {
  return (history.state as Kept | null) ?? {};
}

export function keep(part: Kept): void {
  history.replaceState({ ...kept(), ...part }, '');
}

/** Browsers limit how often a page changes its history: Safari allows 100 changes in 10 s. */
const DEBOUNCE_MS = 200;

/** Events that begin scrolling by hand, which ends the restoring. */
const BY_HAND = ['wheel', 'touchstart', 'pointerdown', 'keydown'];

/**
 * Restores the scroll position of a history entry while the content of its page is loaded. The browser restores it only
 * once, before the content is there.
 */
export function useKeptScroll(route: Route, isOn: boolean): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each route is another entry
  useLayoutEffect(() => {
    if (!isOn) return;
    const gone = new AbortController();
    const { signal } = gone;
    const { top } = kept();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = (): void => {
      clearTimeout(timer);
      const { href } = location;
      timer = setTimeout(() => location.href === href && keep({ top: scrollY }), DEBOUNCE_MS);
    };
    const begin = (): void => {
      watcher.disconnect();
      addEventListener('scroll', follow, { signal });
    };
    const watcher = new ResizeObserver(() => {
      scrollTo({ top });
      // Otherwise the page is still too short.
      if (top === undefined || scrollY + 1 > top) begin();
    });
    if (top === undefined) {
      // A new entry, perhaps of the same page.
      follow();
      begin();
    } else {
      for (const event of BY_HAND) addEventListener(event, begin, { once: true, signal });
      watcher.observe(document.body);
    }
    return () => {
      clearTimeout(timer);
      watcher.disconnect();
      gone.abort();
    };
  }, [route, isOn]);
}
