import { useCallback, useEffect, useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../api/client.js';
import { useApi } from '../app/session.js';
import type { Attachment } from '../cards/attached.js';
import { CardFiles } from '../generated/operations.js';

/** As many as the gateway takes. */
const AT_ONCE = 100;

interface Loaded {
  /** The ids that were asked for. */
  readonly key: string;
  readonly files: ReadonlyMap<string, readonly Attachment[]>;
  readonly error: ApiError | null;
}

/** The attachments of cards by their ids, in whatever order these are. */
export function useCardFiles(ids: readonly string[]) {
  const api = useApi();
  const [round, setRound] = useState(0);
  const [loaded, setLoaded] = useState<Loaded>({ key: '[]', files: new Map(), error: null });
  const key = JSON.stringify([...ids].sort());
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` stands for a reload
  useEffect(() => {
    const gone = new AbortController();
    const load = async (): Promise<void> => {
      const all: string[] = JSON.parse(key);
      const files = new Map<string, readonly Attachment[]>();
      let error: ApiError | null = null;
      try {
        for (let from = 0; from < all.length; from += AT_ONCE) {
          const { cardsByIds } = await api.run(CardFiles, { ids: all.slice(from, from + AT_ONCE) }, gone.signal);
          for (const card of cardsByIds) if (card !== null) files.set(card.id, card.attachments);
        }
      } catch (thrown) {
        error = asApiError(thrown);
      }
      if (!gone.signal.aborted) setLoaded({ key, files, error });
    };
    void load();
    return () => gone.abort();
  }, [api, key, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  return { files: loaded.files, error: loaded.error, loading: loaded.key !== key, reload };
}
