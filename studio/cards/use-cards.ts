import { useEffect, useRef, useState } from 'preact/hooks';
import type { Api, ApiError } from '../api/client.js';
import { useAnswer } from '../api/use-query.js';
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
  readonly retry: () => void;
}

/**
 * The cards that pass the filter, in the order of the API, a page of 100 at a time; as many as are `wanted` without
 * `loadMore`.
 */
export function useCards(filter: CardFilter, orderBy: CardOrderInput | null, wanted: () => number): CardList {
  const api = useApi();
  const key = JSON.stringify({ filter, orderBy });
  const latest = useRef<Load | null>(null);
  if (latest.current?.key !== key || latest.current.api !== api) latest.current = firstLoad(key, api);
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set());
  const answer = useAnswer(key, async (_api, signal) => {
    const load = latest.current ?? firstLoad(key, api);
    const ask = async (after: string | null) =>
      (await api.run(Cards, { filter, orderBy, first: 100, after }, signal)).cards;
    const loaded = await loadPages(load.reached, load.least, ask, (reached) => {
      load.reached = reached;
    });
    load.isDone = true;
    return { key, loaded };
  });
  // Those of the list before are not shown.
  const { cards: all, total } = answer.data?.key === key ? answer.data.loaded : NOTHING_LOADED;
  const cards = deleted.size === 0 ? all : all.filter(({ id }) => !deleted.has(id));
  const start = (load: Load): void => {
    latest.current = load;
    answer.reload();
  };
  const loadMore = (): void => {
    const load = latest.current;
    if (load?.isDone && load.reached.more) start({ ...load, least: 0, isDone: false });
  };
  useEffect(() => {
    if (!answer.loading && cards.length < wanted()) loadMore();
  });
  return {
    cards,
    total: total === null ? null : total - (all.length - cards.length),
    loading: answer.loading,
    error: answer.error,
    loadMore,
    reload: (deletedIds) => {
      setDeleted((before) => new Set([...before, ...deletedIds]));
      start({ ...firstLoad(key, api), least: wanted() });
    },
    retry: answer.reload,
  };
}

interface Load {
  readonly key: string;
  readonly api: Api;
  /** What has arrived: the pages after it follow, also after an error. */
  reached: Loaded;
  /** Pages are loaded until there are so many cards. */
  readonly least: number;
  /** False after an error, so that loading goes on only when somebody retries. */
  isDone: boolean;
}

function firstLoad(key: string, api: Api): Load {
  return { key, api, reached: NOTHING_LOADED, least: 0, isDone: false };
}
