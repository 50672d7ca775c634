import { within } from '../domain/async.js';
import { type Card, perspectiveTexts } from '../domain/card.js';
import { asError, UnavailableError } from '../domain/errors.js';
import { type ByPerspective, PERSPECTIVES } from '../domain/perspective.js';
import type { Reranker } from '../domain/ports/models.js';
import type { Degradation } from '../domain/search.js';

/** How many of the best are read again: a cross-encoder takes some 10 ms a text on a CPU. */
export const RERANK_TOP = 20;

/** How long it may take; past this the fused order stands. */
const RERANK_BUDGET_MS = 300;

/** What each part has of the reranked score. */
const FUSED_SHARE = 0.7;
const LOGIT_SHARE = 0.3;

/** A candidate as fusion left it, with what the cross-encoder reads of it. */
export interface Rerankable {
  /** Fused, 0 .. 1. */
  readonly score: number;
  readonly text: string;
}

/** A candidate's place after reranking is its place in the list. */
export type Reranked<T> = T & {
  /** 0 .. 1: `0.7 x fused + 0.3 x sigmoid(logit)`; the fused score where nothing was reranked. */
  readonly score: number;
  /** Raw, as the model gave it; null where the candidate was not read, or nothing was. */
  readonly rerankLogit: number | null;
};

/** What reranking came to. */
export interface Reranking<T> {
  readonly ranked: readonly Reranked<T>[];
  /** Why the fused order stands; null where it does not. */
  readonly degraded: Degradation | null;
}

/** What reranking asks, and what it may cost. */
export interface RerankParts {
  /** Null: none is set. */
  readonly reranker: Reranker | null;
  readonly log: { warn(facts: object, message: string): void };
  readonly top?: number;
  readonly budgetMs?: number;
}

/**
 * Reads the query beside the text of each of the best candidates (`fused`, best first) and orders them anew. One that is not
 * among those read has nothing of the logit's share, so that none of them overtakes one that was read. Where there is no
 * reranker, or it fails or takes too long, the fused order stands and the degradation says so; never an error, but for the
 * signal's reason once that aborts.
 */
export async function rerank<T extends Rerankable>(
  { reranker, log, top = RERANK_TOP, budgetMs = RERANK_BUDGET_MS }: RerankParts,
  query: string,
  fused: readonly T[],
  signal: AbortSignal,
): Promise<Reranking<T>> {
  const asFused = (reason: string): Reranking<T> => ({
    ranked: fused.map((candidate) => ({ ...candidate, rerankLogit: null })),
    degraded: { part: 'reranker', reason: `${reason}; the order is the fused one` },
  });
  if (reranker === null) return asFused('no RERANKER_MODEL is set');
  const read = fused.slice(0, top);
  const texts = read.map(({ text }) => text);
  const late = (): Error => new UnavailableError('reranker', `no answer within ${budgetMs} ms`);
  try {
    const logits = await within({ ms: budgetMs, late, signal }, (deadline) => reranker.score(query, texts, deadline));
    if (logits.length !== read.length || !logits.every(Number.isFinite)) {
      throw new Error(
        `${reranker.name} gave ${logits.length} logits for ${read.length} texts, or one that is no number`,
      );
    }
    return { ranked: blend(fused, logits), degraded: null };
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asError(thrown);
    log.warn({ err: error }, 'a search is answered without reranking');
    return asFused(error instanceof UnavailableError ? error.message : 'the reranker failed');
  }
}

/**
 * What a cross-encoder reads of a card: its texts in the perspectives that are asked for, those that count most first, since
 * the end of what is too long is not read.
 */
export function rerankText(card: Card, weights: ByPerspective<number>): string {
  const texts = perspectiveTexts(card);
  return PERSPECTIVES.filter((perspective) => weights[perspective] > 0)
    .sort((a, b) => weights[b] - weights[a])
    .flatMap((perspective) => texts[perspective])
    .join('\n');
}

/** The candidates read, by their new score, then the others as they were; equal scores keep the fused order. */
function blend<T extends Rerankable>(fused: readonly T[], logits: readonly number[]): readonly Reranked<T>[] {
  const all = fused.map((candidate, place): Reranked<T> => {
    const rerankLogit = logits[place] ?? null;
    const fit = rerankLogit === null ? 0 : LOGIT_SHARE * sigmoid(rerankLogit);
    return { ...candidate, score: FUSED_SHARE * candidate.score + fit, rerankLogit };
  });
  const read = all.slice(0, logits.length).sort((a, b) => b.score - a.score);
  return [...read, ...all.slice(logits.length)];
}

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}
