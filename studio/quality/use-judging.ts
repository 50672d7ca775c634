import { useRef, useState } from 'preact/hooks';
import { type ApiError, asApiError, takenBack } from '../api/client.js';
import { useApi } from '../app/session.js';
import { type GoldenQueryInput, JudgeHit, type Relevance, UndoJudgement } from '../generated/operations.js';

/** By the key that gives it. */
export const RELEVANCES: readonly Relevance[] = ['NOT_THE_SAME', 'RELATED', 'SAME_MISTAKE', 'WRONG_LABEL'];

interface Judged {
  readonly judgementId: string;
  readonly cardId: string;
  readonly relevance: Relevance;
}

/**
 * What was said of the hits of one search, the latest last, each to be taken back. Keys may come faster than answers:
 * they are sent in turn.
 */
export function useJudging(query: GoldenQueryInput, set: string) {
  const api = useApi();
  const [history, setHistory] = useState<readonly Judged[]>([]);
  const [error, setError] = useState<ApiError | null>(null);
  const latest = useRef(history);
  /** Counts the searches: an answer that comes after `forget` belongs to an earlier one. */
  const round = useRef(0);
  const turn = useRef<Promise<void>>(Promise.resolve());

  const change = (next: readonly Judged[]): void => {
    latest.current = next;
    setHistory(next);
  };
  const inTurn = (work: () => Promise<void>): void => {
    setError(null);
    turn.current = turn.current.then(work).catch((thrown: unknown) => {
      setError(asApiError(thrown));
    });
  };
  return {
    judgements: new Map(history.map(({ cardId, relevance }) => [cardId, relevance])),
    judge: (cardId: string, relevance: Relevance) => {
      const begun = round.current;
      inTurn(async () => {
        const { judgeHit } = await api.run(JudgeHit, { query, cardId, relevance, set: set.trim() || null });
        const judged = { judgementId: judgeHit.judgementId, cardId, relevance };
        if (begun === round.current) change([...latest.current, judged]);
      });
    },
    undo: () =>
      inTurn(async () => {
        const last = latest.current.at(-1);
        if (last === undefined) return;
        await takenBack(api.run(UndoJudgement, { judgementId: last.judgementId }));
        change(latest.current.slice(0, -1));
      }),
    error,
    forget: () => {
      round.current += 1;
      change([]);
    },
  };
}
