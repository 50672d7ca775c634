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
  readonly reload: () => void;
}

/**
 * The cards that pass the filter, in the order of the API, a page of 100 at a time; the first `wanted` without
 * `loadMore`.
 */
export function useCards(filter: CardFilter, orderBy: CardOrderInput | null, wanted: number): CardList {
  const api = useApi();
  const [state, setState] = useState<Omit<CardList, 'loadMore' | 'reload'>>(NOTHING);
  const [round, setRound] = useState(0);
  const cursor = useRef<string | null>(null);
  const busy = useRef<AbortController | null>(null);
  const key = JSON.stringify({ filter, orderBy });

  const load = useCallback(async (): Promise<void> => {
    const gone = new AbortController();
    busy.current = gone;
    setState((before) => ({ ...before, loading: true, error: null }));
    try {
      const variables = { ...(JSON.parse(key) as Listed), first: 100, after: cursor.current };
      const { cards } = await api.run(Cards, variables, gone.signal);
      if (gone.signal.aborted) return;
      cursor.current = cards.pageInfo.endCursor;
      setState((before) => {
        const loaded = [...before.cards, ...cards.nodes];
        return {
          cards: loaded,
          total: cards.totalCount,
          more: cards.pageInfo.hasNextPage && loaded.length < MAX_LOADED,
          loading: false,
          error: null,
        };
      });
    } catch (thrown) {
      if (gone.signal.aborted) return;
      const error = asApiError(thrown);
      setState((before) => ({ ...before, loading: false, more: false, error }));
    } finally {
      if (busy.current === gone) busy.current = null;
    }
  }, [api, key]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` loads anew
  useEffect(() => {
    cursor.current = null;
    setState(NOTHING);
    void load();
    return () => busy.current?.abort();
  }, [load, round]);
  useEffect(() => {
    if (state.cards.length < wanted && state.more && !state.loading) void load();
  }, [wanted, state.cards, state.more, state.loading, load]);

  return {
    ...state,
    loadMore: () => {
      if (state.more && busy.current === null) void load();
    },
    reload: () => setRound((count) => count + 1),
  };
}

interface Listed {
  readonly filter: CardFilter;
  readonly orderBy: CardOrderInput | null;
}

const NOTHING = { cards: [], total: null, more: false, loading: true, error: null };
