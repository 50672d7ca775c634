import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export { href, hrefWith } from './href.js';

/** The part of the address after `#`: no server hears of it, and no credential is ever in it. */
export interface Route {
  /** `search`, `cards`, ... */
  readonly page: string;
  /** `card-7` of `#/cards/card-7`. */
  readonly rest: readonly string[];
  readonly params: URLSearchParams;
}

/** An event of the window before another place is shown or the session ends; one who prevents its default stays. */
const LEAVE = 'errata:leave';

function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page = '', ...rest] = path.split('/').map(decode);
  return { page, rest, params: new URLSearchParams(query) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Asks those who guard unsaved work whether the page may drop it. */
export function mayLeave(): boolean {
  return dispatchEvent(new Event(LEAVE, { cancelable: true }));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  // Before the browser has a turn, in which the address may change.
  useLayoutEffect(() => {
    if (history.state === null) history.replaceState({}, '');
    const follow = ({ oldURL }: HashChangeEvent): void => {
      if (!mayLeave()) {
        history.pushState({ before: location.href }, '', oldURL);
        return;
      }
      // A new entry.
      if (history.state === null) history.replaceState({ before: oldURL }, '');
      setRoute(routeOf(location.hash));
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

export function go(address: string): void {
  location.hash = address;
}

/** `goBackTo` for an action whose answer may come after its page was left: then nothing happens. */
export function useGoBackTo(): (address: string) => void {
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  return useCallback((address) => {
    if (isShown.current) goBackTo(address);
  }, []);
}

/**
 * Goes back if the previous history entry is this page, otherwise replaces the current one: with two entries of one
 * page, leaving it would take two steps back.
 */
function goBackTo(address: string): void {
  const before = entryBefore();
  if (before !== undefined && pathOf(before) === pathOf(address)) history.back();
  else goInstead(address);
}

function pathOf(address: string): string | undefined {
  return address.split('#')[1]?.split('?')[0];
}

/** The address of the entry before this one; undefined if that is not of the studio. */
function entryBefore(): string | undefined {
  return (history.state as { readonly before?: string } | null)?.before;
}

/** As `go`, but Back does not lead to the address before. */
export function goInstead(address: string): void {
  const before = entryBefore();
  location.replace(address);
  history.replaceState({ before }, '');
}

/** Keeps the page of the address alone: what somebody searched for is not shown to the next person. */
export function forgetParams(): void {
  const [page = '', params] = location.hash.split('?');
  if (params !== undefined) goInstead(page);
}

/**
 * While `unsaved`: asks `question` before another place of the page and before signing out, and as the browser does
 * before a reload.
 */
export function useLeaveGuard(unsaved: boolean, question: string): void {
  useLayoutEffect(() => {
    if (!unsaved) return;
    const ask = (event: Event): void => {
      if (!confirm(question)) event.preventDefault();
    };
    addEventListener(LEAVE, ask);
    return () => removeEventListener(LEAVE, ask);
  }, [unsaved, question]);
  useUnloadGuard(unsaved);
}

/** While `unsaved`: the browser asks before the page is reloaded or closed. */
export function useUnloadGuard(unsaved: boolean): void {
  useLayoutEffect(() => {
    if (!unsaved) return;
    const unload = (event: Event): void => event.preventDefault();
    addEventListener('beforeunload', unload);
    return () => removeEventListener('beforeunload', unload);
  }, [unsaved]);
}
