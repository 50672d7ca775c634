import { useEffect, useState } from 'preact/hooks';

/** The part of the address after `#`: no server hears of it, and no credential is ever in it. */
export interface Route {
  /** `search`, `cards`, ... */
  readonly page: string;
  /** `card-7` of `#/cards/card-7`. */
  readonly rest: readonly string[];
  readonly params: URLSearchParams;
}

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

export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useEffect(() => {
    const follow = (): void => setRoute(routeOf(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

export function href(page: string, ...rest: readonly string[]): string {
  return `#/${[page, ...rest.map(encodeURIComponent)].join('/')}`;
}

export function go(address: string): void {
  location.hash = address;
}
