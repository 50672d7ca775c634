import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useApi } from '../app/session.js';
import type { Operation } from '../generated/operations.js';
import { ApiError } from './client.js';

export interface Query<Result> {
  /** The latest answer, also while the next one is awaited. */
  readonly data: Result | null;
  readonly error: ApiError | null;
  readonly loading: boolean;
  readonly reload: () => void;
}

export interface QueryOptions {
  /** Waits this long for further changes of the variables. */
  readonly debounceMs?: number;
  /** Asks again this often. */
  readonly everyMs?: number | null;
}

/** Asks whenever the variables change, and aborts what it asked before. Null variables: nothing is asked. */
export function useQuery<Result, Variables>(
  operation: Operation<Result, Variables>,
  variables: Variables | null,
  { debounceMs = 0, everyMs = null }: QueryOptions = {},
): Query<Result> {
  const api = useApi();
  const [state, setState] = useState<Omit<Query<Result>, 'reload'>>({
    data: null,
    error: null,
    loading: variables !== null,
  });
  const [round, setRound] = useState(0);
  const first = useRef(true);
  const key = JSON.stringify(variables);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the variables, `round` for a reload
  useEffect(() => {
    if (variables === null) {
      setState({ data: null, error: null, loading: false });
      return;
    }
    const gone = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    const ask = async (): Promise<void> => {
      try {
        const data = await api.run(operation, variables, gone.signal);
        if (!gone.signal.aborted) setState({ data, error: null, loading: false });
      } catch (thrown) {
        if (gone.signal.aborted) return;
        const error = thrown instanceof ApiError ? thrown : new ApiError('INTERNAL', String(thrown));
        setState(({ data }) => ({ data, error, loading: false }));
      }
    };
    // The first question of a page is not typed.
    const timer = setTimeout(ask, first.current ? 0 : debounceMs);
    first.current = false;
    const again = everyMs === null ? undefined : setInterval(ask, everyMs);
    return () => {
      clearTimeout(timer);
      clearInterval(again);
      gone.abort();
    };
  }, [api, operation, key, round, debounceMs, everyMs]);

  const reload = useCallback(() => setRound((count) => count + 1), []);
  return { ...state, reload };
}

/** Runs an operation when it is told to; remembers whether it runs and what it was refused with. */
export function useAction<Arguments extends readonly unknown[], Result>(
  action: (...given: Arguments) => Promise<Result>,
): {
  readonly run: (...given: Arguments) => Promise<Result | undefined>;
  readonly running: boolean;
  readonly error: ApiError | null;
  readonly clear: () => void;
} {
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const run = async (...given: Arguments): Promise<Result | undefined> => {
    setRunning(true);
    setError(null);
    try {
      return await action(...given);
    } catch (thrown) {
      setError(thrown instanceof ApiError ? thrown : new ApiError('INTERNAL', String(thrown)));
      return undefined;
    } finally {
      setRunning(false);
    }
  };
  return { run, running, error, clear: () => setError(null) };
}
