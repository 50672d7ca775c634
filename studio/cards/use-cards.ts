import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../api/client.js';
import { useApi } from '../app/session.js';
import { type CardFields, type CardFilter, type CardOrderInput, Cards } from '../generated/operations.js';
import { type Loaded, loadPages, NOTHING_LOADED } from './card-pages.js';

export interface CardList {
  readonly cards: readonly CardFields[];
  readonly total: number | null;
  readonly loading: boolean;
  readonly error: ApiError | null;
  readonly loadMore: () => void;
  /** Removes deleted cards, and loads as many as are wanted anew; the others stay until then. */
  readonly reload: (deletedIds: readonly string[]) => void;
  /** Loads again what could not be loaded. */
  readonly retry: () => void;
}

/**
 * The cards that pass the filter, in the order of the API, a page of 100 at a time; as many as are `wanted` without
 * `loadMore`.
 */
export function useCards(filter: CardFilter, orderBy: CardOrderInput | null, wanted: () => number): CardList {
  const api = useApi();
  const [state, setState] = useState<State>(NOTHING);
  /** The state that is rendered next: effects of an earlier rendering may run after a page has arrived. */
  const latest = useRef<State>(NOTHING);
  const busy = useRef<AbortController | null>(null);
  const failed = useRef<Load>(FIRST);
  const key = JSON.stringify({ filter, orderBy });

  const update = useCallback((changed: Partial<State>): void => {
    latest.current = { ...latest.current, ...changed };
    setState(latest.current);
  }, []);
  const load = useCallback(
    async ({ before, least }: Load): Promise<void> => {
      busy.current?.abort();
      const gone = new AbortController();
      busy.current = gone;
      update({ loading: true, error: null });
      const ask = async (after: string | null) => {
        const variables = { ...(JSON.parse(key) as Listed), first: 100, after };
        return (await api.run(Cards, variables, gone.signal)).cards;
      };
      let reached = before;
      try {
        await loadPages(before, least, ask, (loaded) => {
          reached = loaded;
        });
        if (!gone.signal.aborted) update({ ...reached, loading: false });
      } catch (thrown) {
        if (gone.signal.aborted) return;
        failed.current = { before: reached, least };
        update({ loading: false, more: false, error: asApiError(thrown) });
      }
    },
    [api, key, update],
  );

  useEffect(() => {
    update(NOTHING);
    void load(FIRST);
    return () => busy.current?.abort();
  }, [load, update]);
  const loadMore = (): void => {
    const { cards, cursor, total, more, loading } = latest.current;
    if (more && !loading) void load({ before: { cards, cursor, total, more }, least: 0 });
  };
  useEffect(() => {
    if (!state.loading && state.cards.length < wanted()) loadMore();
  });

  return {
    ...state,
    loadMore,
    reload: (deletedIds) => {
      const { cards, total } = latest.current;
      const left = cards.filter(({ id }) => !deletedIds.includes(id));
      update({ cards: left, total: total === null ? null : total - (cards.length - left.length) });
      void load({ before: NOTHING_LOADED, least: wanted() });
    },
    retry: () => void load(failed.current),
  };
}

interface State extends Loaded {
  readonly loading: boolean;
  readonly error: ApiError | null;
}

interface Load {
  /** What is loaded already; the pages after it follow. */
  readonly before: Loaded;
  /** Pages are loaded until there are so many cards. */
  readonly least: number;
}

interface Listed {
  readonly filter: CardFilter;
  readonly orderBy: CardOrderInput | null;
}

const NOTHING: State = { ...NOTHING_LOADED, loading: true, error: null };
const FIRST: Load = { before: NOTHING_LOADED, least: 0 };
