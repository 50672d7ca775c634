import type { Degradation } from '../domain/search.js';
import { asError, UnavailableError } from '../errors.js';
import { within } from '../lifecycle.js';
import type { Reranker } from '../ports.js';

/** How many of the best are read again: a cross-encoder takes some 10 ms a text on a CPU. */
export const RERANK_TOP = 20;

/** How long it may take; past this the fused order stands. */
export const RERANK_BUDGET_MS = 300;

/** What each part has of the reranked score. */
const FUSED_SHARE = 0.7;
const LOGIT_SHARE = 0.3;

/** A card as fusion left it, with what the cross-encoder reads of it. */
export interface Rerankable {
  readonly cardId: string;
  /** Fused, 0 .. 1. */
  readonly score: number;
  readonly text: string;
}

/** A card's place after reranking is its place in the list. */
export interface Reranked {
  readonly cardId: string;
  /** 0 .. 1: `0.7 x fused + 0.3 x sigmoid(logit)`; the fused score where nothing was reranked. */
  readonly score: number;
  readonly fused: number;
  /** Raw, as the model gave it; null where the card was not read, or nothing was. */
  readonly rerankLogit: number | null;
}

/** What reranking came to. */
export interface Reranking {
  readonly ranked: readonly Reranked[];
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
 * Reads the query beside the text of each of the best cards (`fused`, best first) and orders them anew. A card that is not
 * among those read has nothing of the logit's share, so that none of them overtakes one that was read. Where there is no
 * reranker, or it fails or takes too long, the fused order stands and the degradation says so; never an error, but for the
 * signal's reason once that aborts.
 */
export async function rerank(
  { reranker, log, top = RERANK_TOP, budgetMs = RERANK_BUDGET_MS }: RerankParts,
  query: string,
  fused: readonly Rerankable[],
  signal: AbortSignal,
): Promise<Reranking> {
  const asFused = (reason: string): Reranking => ({
    ranked: fused.map(({ cardId, score }) => ({ cardId, score, fused: score, rerankLogit: null })),
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

/** The cards read, by their new score, then the others as they were; equal scores keep the fused order. */
function blend(fused: readonly Rerankable[], logits: readonly number[]): readonly Reranked[] {
  const all = fused.map(({ cardId, score }, place): Reranked => {
    const rerankLogit = logits[place] ?? null;
    const fit = rerankLogit === null ? 0 : LOGIT_SHARE * sigmoid(rerankLogit);
    return { cardId, score: FUSED_SHARE * score + fit, fused: score, rerankLogit };
  });
  const read = all.slice(0, logits.length).sort((a, b) => b.score - a.score);
  return [...read, ...all.slice(logits.length)];
}

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}
