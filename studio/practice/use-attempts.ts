import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError, asApiError, RETRIED, retryDelayMs } from '../api/client.js';
import { personOf, useSession } from '../app/session.js';
import {
  type AttemptInput,
  type CardFields,
  RecordAttempts,
  type RecordAttemptsResult,
} from '../generated/operations.js';
import { nextRequest } from './attempt-requests.js';

type Recorded = RecordAttemptsResult['recordAttempts'][number];
type Question = Pick<CardFields, 'id' | 'questionText'>;

/**
 * Records attempts in turn, while the student goes on. What could not be sent is kept, and sent again by itself with
 * its key, so that an attempt whose answer was lost is not stored twice.
 */
export function useAttempts() {
  const { api, viewer } = useSession();
  /** Whoever has signed in again has a new connection. */
  const latestApi = useRef(api);
  latestApi.current = api;
  const queue = useRef<readonly AttemptInput[]>([]);
  /** When the last attempt at each card was stored, by `performance.now`; Infinity while one waits. */
  const stored = useRef(new Map<string, number>());
  const sending = useRef<Promise<void> | null>(null);
  const failures = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** When each card was answered in another tab of this person. */
  const elsewhere = useRef(new Map<string, number>());
  const person = personOf(viewer);
  const tabs = useMemo(() => new BroadcastChannel(`attempts ${person}`), [person]);
  /** Of the cards that were practised, by their ids. */
  const questions = useRef(new Map<string, Question>());
  const [state, setState] = useState<{
    readonly waiting: number;
    readonly error: ApiError | null;
    readonly last: Recorded | null;
    /** Not stored, whatever is done: such as for a card that was deleted meanwhile. */
    readonly refused: readonly (Recorded & { readonly question: Question })[];
  }>({ waiting: 0, error: null, last: null, refused: [] });

  const sendAll = async (): Promise<void> => {
    while (queue.current.length > 0) {
      const attempts = nextRequest(queue.current);
      try {
        const { recordAttempts } = await latestApi.current.run(RecordAttempts, { attempts });
        failures.current = 0;
        queue.current = queue.current.slice(attempts.length);
        for (const id of attempts.flatMap(cardsOf)) stored.current.set(id, performance.now());
        for (const id of queue.current.flatMap(cardsOf)) stored.current.set(id, Number.POSITIVE_INFINITY);
        const refused = recordAttempts
          .filter(({ outcome }) => outcome !== 'RECORDED' && outcome !== 'REPEATED')
          .map((one) => {
            const { cardId: id } = one;
            return { ...one, question: questions.current.get(id) ?? { id, questionText: id } };
          });
        setState((before) => ({
          waiting: queue.current.length,
          error: null,
          last: recordAttempts.at(-1) ?? null,
          refused: [...before.refused, ...refused],
        }));
      } catch (thrown) {
        const error = asApiError(thrown);
        setState((before) => ({ ...before, waiting: queue.current.length, error }));
        if (error.code === 'OFFLINE' || RETRIED.has(error.code)) {
          timer.current = setTimeout(flush, retryDelayMs(error, failures.current));
          failures.current += 1;
        }
        return;
      }
    }
  };
  const flush = (): void => {
    clearTimeout(timer.current);
    sending.current ??= sendAll().finally(() => {
      sending.current = null;
    });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what waits is no reason to send it at once
  useEffect(() => {
    if (queue.current.length > 0) flush();
  }, [api]);
  // Whoever has signed out has discarded what waits.
  useEffect(
    () => () => {
      queue.current = [];
    },
    [],
  );
  useEffect(() => {
    tabs.onmessage = ({ data }: MessageEvent<readonly string[]>): void => {
      for (const id of data) {
        elsewhere.current.set(id, performance.now());
        stored.current.set(id, Math.max(stored.current.get(id) ?? 0, performance.now()));
      }
      setState((before) => ({ ...before }));
    };
    return () => tabs.close();
  }, [tabs]);
  return {
    ...state,
    flush,
    /** Whether another tab has recorded an attempt at a card since a time. */
    isElsewhereSince: (time: number, cardId: string): boolean => (elsewhere.current.get(cardId) ?? 0) > time,
    /** Whether what the gateway was asked for at a time may not know of an attempt at a card. */
    isNewsSince: (askedAt: number, cardId: string): boolean => (stored.current.get(cardId) ?? 0) > askedAt,
    /** Dates the attempt at `question`: it may be sent on another day. */
    record: (attempt: AttemptInput, question: Question): void => {
      questions.current.set(attempt.cardId, question);
      queue.current = [...queue.current, { ...attempt, at: api.now()?.toISOString() ?? null }];
      for (const id of cardsOf(attempt)) stored.current.set(id, Number.POSITIVE_INFINITY);
      tabs.postMessage(cardsOf(attempt));
      setState((before) => ({ ...before, waiting: queue.current.length }));
      flush();
    },
  };
}

/** The card, and the due card that it stood in for: the attempt is a review of both. */
function cardsOf({ cardId, reviewOf }: AttemptInput): readonly string[] {
  return reviewOf == null ? [cardId] : [cardId, reviewOf];
}

/** Kept while other pages are open, so that an attempt that could not be sent is not lost. */
export const AttemptsContext = createContext<ReturnType<typeof useAttempts> | null>(null);

export function useSharedAttempts(): ReturnType<typeof useAttempts> {
  const attempts = useContext(AttemptsContext);
  if (attempts === null) throw new Error('used outside of the shell');
  return attempts;
}
