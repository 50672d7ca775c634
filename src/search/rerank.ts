import { within } from '../domain/async.js';
import { type Card, perspectiveTexts } from '../domain/card.js';
import { asError, UnavailableError } from '../domain/errors.js';
import { type ByPerspective, PERSPECTIVES } from '../domain/perspective.js';
import type { Log } from '../domain/ports/log.js';
import type { Reranker } from '../domain/ports/models.js';
import type { Degradation } from '../domain/search-result.js';
import type { Query } from './query/query.js';

/** How many of the best are reranked: a cross-encoder takes some 10 ms for each on a CPU. */
export const RERANK_TOP = 20;

/** After this the fused order stands. */
const RERANK_BUDGET_MS = 300;

/** The parts of the reranked score. */
const FUSED_SHARE = 0.7;
const LOGIT_SHARE = 0.3;

/** A card with its fused score, 0 .. 1. */
export interface Rerankable {
  readonly card: Card;
  readonly score: number;
}

export type Reranked<T> = T & {
  /** 0 .. 1: `0.7 x fused + 0.3 x sigmoid(logit)`; the fused score if nothing was reranked. */
  readonly score: number;
  /** As the model gave it; null if the card was not read, or nothing was reranked. */
  readonly rerankLogit: number | null;
};

export interface Reranking<T> {
  /** In the new order. */
  readonly ranked: readonly Reranked<T>[];
  /** The model; null if the fused order stands. */
  readonly model: string | null;
  readonly degraded: readonly Degradation[];
}

export interface RerankParts {
  /** Null: none is configured. */
  readonly reranker: Reranker | null;
  readonly log: Pick<Log, 'warn'>;
  readonly budgetMs?: number;
}

/**
 * Reorders the best of `fused` (best first) by a cross-encoder that reads the query beside each card. Cards that were
 * not read get nothing of the logit's share, so that none of them overtakes one that was. Without a reranker, or if it
 * fails or takes too long, the fused order stands, with a degradation; rejects only with the signal's reason.
 */
export async function rerank<T extends Rerankable>(
  { reranker, log, budgetMs = RERANK_BUDGET_MS }: RerankParts,
  query: Pick<Query, 'text' | 'card'>,
  weights: ByPerspective<number>,
  fused: readonly T[],
  signal: AbortSignal,
): Promise<Reranking<T>> {
  const degradedBy = (reason: string): Reranking<T> => ({
    ...asFused(fused),
    degraded: [{ part: 'reranker', reason: `${reason}; the order is the fused one` }],
  });
  if (reranker === null) return degradedBy('no RERANKER_MODEL is set');
  const read = fused.slice(0, RERANK_TOP);
  const text = query.card === null ? query.text : rerankText(query.card, weights);
  const texts = read.map(({ card }) => rerankText(card, weights));
  const late = (): Error => new UnavailableError('reranker', `no answer within ${budgetMs} ms`);
  try {
    const logits = await within({ ms: budgetMs, late, signal }, (deadline) => reranker.score(text, texts, deadline));
    if (logits.length !== read.length || !logits.every(Number.isFinite)) {
      throw new Error(
        `${reranker.name} gave ${logits.length} logits for ${read.length} texts, or one that is not finite`,
      );
    }
    return { ranked: blend(fused, logits), model: reranker.name, degraded: [] };
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asError(thrown);
    log.warn({ err: error }, 'reranking failed; the search is answered without it');
    return degradedBy(error instanceof UnavailableError ? error.message : 'the reranker failed');
  }
}

/** For a search that is not reranked. */
export function asFused<T extends Rerankable>(fused: readonly T[]): Reranking<T> {
  return { ranked: fused.map((one) => ({ ...one, rerankLogit: null })), model: null, degraded: [] };
}

/**
 * The texts of a card in the perspectives that are asked for, those with the most weight first: a cross-encoder does
 * not read the end of a long text.
 */
function rerankText(card: Card, weights: ByPerspective<number>): string {
  const texts = perspectiveTexts(card);
  return PERSPECTIVES.filter((perspective) => weights[perspective] > 0)
    .sort((a, b) => weights[b] - weights[a])
    .flatMap((perspective) => texts[perspective])
    .join('\n');
}

/** The cards that were read by their new score, then the others; equal scores keep the fused order. */
function blend<T extends Rerankable>(fused: readonly T[], logits: readonly number[]): readonly Reranked<T>[] {
  const all = fused.map((one, place): Reranked<T> => {
    const rerankLogit = logits[place] ?? null;
    const fit = rerankLogit === null ? 0 : LOGIT_SHARE * sigmoid(rerankLogit);
    return { ...one, score: FUSED_SHARE * one.score + fit, rerankLogit };
  });
  const read = all.slice(0, logits.length).sort((a, b) => b.score - a.score);
  return [...read, ...all.slice(logits.length)];
}

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}
