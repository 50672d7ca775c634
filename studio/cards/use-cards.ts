import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../api/client.js';
import { useApi } from '../app/session.js';
import { type CardFields, type CardFilter, type CardOrderInput, Cards } from '../generated/operations.js';

/** As many as the page keeps; the filters narrow down longer lists. */
const MAX_LOADED = 10_000;

export interface CardList {
  readonly cards: readonly CardFields[];
  readonly total: number | null;
  readonly more: boolean;
  readonly loading: boolean;
  readonly error: ApiError | null;
  readonly loadMore: () => void;
  /** Loads as many as are wanted anew; those that are there stay until then. */
  readonly reload: () => void;
  /** Loads again what could not be loaded. */
  readonly retry: () => void;
}

/**
 * The cards that pass the filter, in the order of the API, a page of 100 at a time; as many as are `wanted` without
 * `loadMore`.
 */
export function useCards(filter: CardFilter, orderBy: CardOrderInput | null, wanted: () => number): CardList {
  const api = useApi();
  const [state, setState] = useState<Omit<CardList, 'loadMore' | 'reload' | 'retry'>>(NOTHING);
  const cursor = useRef<string | null>(null);
  const busy = useRef<AbortController | null>(null);
  const failed = useRef<Load>(FIRST);
  const key = JSON.stringify({ filter, orderBy });

  const load = useCallback(
    async (asked: Load): Promise<void> => {
      busy.current?.abort();
      const gone = new AbortController();
      busy.current = gone;
      setState((before) => ({ ...before, loading: true, error: null }));
      let cards = asked.after;
      let after = cards.length === 0 ? null : cursor.current;
      try {
        for (;;) {
          const variables = { ...(JSON.parse(key) as Listed), first: 100, after };
          const { cards: page } = await api.run(Cards, variables, gone.signal);
          if (gone.signal.aborted) return;
          cards = [...cards, ...page.nodes];
          after = page.pageInfo.endCursor;
          const more = page.pageInfo.hasNextPage && cards.length < MAX_LOADED;
          if (more && cards.length < asked.least) continue;
          cursor.current = after;
          setState({ cards, total: page.totalCount, more, loading: false, error: null });
          return;
        }
      } catch (thrown) {
        if (gone.signal.aborted) return;
        failed.current = asked;
        const error = asApiError(thrown);
        setState((before) => ({ ...before, loading: false, more: false, error }));
      } finally {
        if (busy.current === gone) busy.current = null;
      }
    },
    [api, key],
  );

  useEffect(() => {
    setState(NOTHING);
    void load(FIRST);
    return () => busy.current?.abort();
  }, [load]);
  const loadMore = (): void => {
    if (state.more && busy.current === null) void load({ after: state.cards, least: 0 });
  };
  useEffect(() => {
    if (!state.loading && state.cards.length < wanted()) loadMore();
  });

  return {
    ...state,
    loadMore,
    reload: () => void load({ after: [], least: wanted() }),
    retry: () => void load(failed.current),
  };
}

interface Load {
  /** The cards that are there, whose successors are loaded; none: loads from the first one on. */
  readonly after: readonly CardFields[];
  /** Pages are loaded until there are so many cards. */
  readonly least: number;
}

const FIRST: Load = { after: [], least: 0 };

interface Listed {
  readonly filter: CardFilter;
  readonly orderBy: CardOrderInput | null;
}

const NOTHING = { cards: [], total: null, more: false, loading: true, error: null };
