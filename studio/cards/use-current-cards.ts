import { useCallback, useEffect, useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../api/client.js';
import { useApi } from '../app/session.js';
import { type CardWithFiles, currentCards } from './current-cards.js';

interface Loaded {
  /** The ids that were asked for. */
  readonly key: string;
  readonly found: ReadonlyMap<string, CardWithFiles>;
  readonly error: ApiError | null;
}

/** Cards by their ids, in whatever order these are; the last ones that were found while others are loaded. */
export function useCurrentCards(ids: readonly string[]) {
  const api = useApi();
  const [round, setRound] = useState(0);
  const [loaded, setLoaded] = useState<Loaded>({ key: '[]', found: new Map(), error: null });
  const key = JSON.stringify([...ids].sort());
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` stands for a reload
  useEffect(() => {
    const gone = new AbortController();
    const show = (found: Loaded['found'], error: ApiError | null): void => {
      if (!gone.signal.aborted) setLoaded({ key, found, error });
    };
    currentCards(api, JSON.parse(key), gone.signal).then(
      (found) => show(found, null),
      (thrown: unknown) => show(new Map(), asApiError(thrown)),
    );
    return () => gone.abort();
  }, [api, key, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  return { found: loaded.found, error: loaded.error, loading: loaded.key !== key, reload };
}
