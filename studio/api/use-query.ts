import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useApi } from '../app/session.js';
import type { Operation } from '../generated/operations.js';
import { type Api, type ApiError, AWAY, asApiError, RETRIED, RETRIES, retryDelayMs } from './client.js';

export interface Query<Result> {
  /** The latest answer, also while that to another question is awaited; null once those have failed. */
  readonly data: Result | null;
  /** When `data` was asked for, by `performance.now`. */
  readonly askedAt: number;
  readonly error: ApiError | null;
  readonly loading: boolean;
  readonly reload: () => void;
}

interface QueryOptions {
  /** Waits this long for further changes of the variables. */
  readonly debounceMs?: number;
  /** Asks again so long after each answer. */
  readonly everyMs?: number | null;
}

/** Asks whenever the operation or the variables change. Null variables: nothing is asked. */
export function useQuery<Result, Variables>(
  operation: Operation<Result, Variables>,
  variables: Variables | null,
  options?: QueryOptions,
): Query<Result> {
  const key = variables === null ? null : `${operation.name} ${JSON.stringify(variables)}`;
  return useAnswer(key, (api, signal) => api.run(operation, variables as Variables, signal), options);
}

/**
 * Asks whenever the key changes, which stands for what `question` asks, and aborts what it asked before. Null: nothing
 * is asked. Without `loading` and `error`, `data` answers the current question. After a refusal for load it shows
 * `error` and asks again, at most three times; while the gateway is away, as long as the page is visible.
 */
export function useAnswer<Result>(
  key: string | null,
  question: (api: Api, signal: AbortSignal) => Promise<Result>,
  { debounceMs = 0, everyMs = null }: QueryOptions = {},
): Query<Result> {
  const api = useApi();
  const [state, setState] = useState<State<Result>>(NOTHING);
  const [round, setRound] = useState(0);
  const first = useRef(true);

  // `debounceMs` is no dependency: a change of it alone asks nothing again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the question, `round` for a reload
  useEffect(() => {
    if (key === null) {
      setState(NOTHING);
      return;
    }
    const gone = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    let isAway = false;
    let isAsking = false;
    const ask = async (): Promise<void> => {
      isAsking = true;
      // After the answer, so that none overtakes a later one.
      const askIn = (delayMs: number | null): void => {
        isAsking = false;
        if (delayMs !== null) timer = setTimeout(ask, delayMs);
      };
      try {
        const askedAt = performance.now();
        const data = await question(api, gone.signal);
        if (gone.signal.aborted) return;
        setState({ key, data, askedAt, error: null, loading: false });
        failures = 0;
        isAway = false;
        askIn(everyMs);
      } catch (thrown) {
        if (gone.signal.aborted) return;
        const error = asApiError(thrown);
        setState(({ askedAt, ...before }) => {
          return { key, data: before.key === key ? before.data : null, askedAt, error, loading: false };
        });
        // A gateway that is back may be busy at first.
        if (isAway !== AWAY.has(error.code)) failures = 0;
        isAway = AWAY.has(error.code);
        const isRetried = isAway ? !document.hidden : failures < RETRIES && RETRIED.has(error.code);
        askIn(isRetried ? retryDelayMs(error, failures) : everyMs);
        failures += 1;
      }
    };
    const askAgain = (): void => {
      if (!isAway || isAsking || document.hidden) return;
      clearTimeout(timer);
      void ask();
    };
    addEventListener('online', askAgain, { signal: gone.signal });
    document.addEventListener('visibilitychange', askAgain, { signal: gone.signal });
    // The first question of a page is not typed.
    timer = setTimeout(ask, first.current ? 0 : debounceMs);
    first.current = false;
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [api, key, round, everyMs]);

  const reload = useCallback(() => {
    // Shown at once: users who saw no change pressed the button again, and each press starts the request anew.
    setState((before) => ({ ...before, error: null, loading: true }));
    setRound((count) => count + 1);
  }, []);
  if (key === null) return { ...NOTHING, reload };
  // The effect that asks runs after the page is rendered with the new variables.
  return { ...state, loading: state.loading || state.key !== key, reload };
}

interface State<Result> extends Omit<Query<Result>, 'reload'> {
  /** What `data` or `error` answers. */
  readonly key: string | null;
}

const NOTHING = { key: null, data: null, askedAt: 0, error: null, loading: false };

/** Runs an action when it is told to; remembers whether it runs and what it was refused with. */
export function useAction<Arguments extends readonly unknown[]>(
  action: (api: Api, ...given: Arguments) => Promise<void>,
): {
  readonly run: (...given: Arguments) => Promise<void>;
  readonly running: boolean;
  readonly error: ApiError | null;
  readonly clear: () => void;
} {
  const api = useApi();
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const run = async (...given: Arguments): Promise<void> => {
    setRunning(true);
    setError(null);
    try {
      await action(api, ...given);
    } catch (thrown) {
      setError(asApiError(thrown));
    } finally {
      setRunning(false);
    }
  };
  return { run, running, error, clear: () => setError(null) };
}
