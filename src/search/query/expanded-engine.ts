import { asError, BadInputError, RefusedTextError, UnavailableError } from '../../domain/errors.js';
import type { SearchEngine } from '../../domain/ports/gateway.js';
import { type SearchRequest } from '../../domain/search.js';
import { type Degradation, type SearchHit, type SearchResult } from '../../domain/search-result.js';
import type { Viewer } from '../../domain/viewer.js';
import type { Engine } from '../engine.js';
import type { Rescorer, RescorersRequest } from '../rescoring.js';
import { preferQuality } from '../select.js';
import type { QueryRewriter } from './query-rewriter.js';

/**
 * Weight of all rewrites together, against 1 of the query itself. Customary; for want of a chat model it was not
 * measured.
 */
const REWRITES_WEIGHT = 0.5;

/** How many times topK each of the searches finds: a card is fused only where it is found. */
const DEPTH = 3;

/** They find no more than that, unless more are asked for: each is a search of its own. */
const DEEPEST = 50;

/** The engine, with rewrites of the query by a chat model searched for beside it where a request asks for them. */
export class ExpandedEngine implements SearchEngine {
  constructor(
    private readonly engine: SearchEngine & Pick<Engine, 'rescorer' | 'rescorers'>,
    private readonly rewriter: QueryRewriter,
  ) {}

  async search(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    const { subject, expandWith } = request;
    if (expandWith === null || subject.kind === 'card') return this.engine.search(viewer, request, signal);
    const started = performance.now();
    let rewrites: readonly string[];
    try {
      rewrites = await this.rewriter.rewrite(viewer, expandWith, subject.text, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      const { receipt, ...found } = await this.engine.search(viewer, request, signal);
      const missing = failed(thrown, 'the query was not expanded');
      return { ...found, receipt: { ...receipt, degraded: [...receipt.degraded, missing] } };
    }
    const rewriteMs = performance.now() - started;
    // Hits of several searches are ordered by their mean scores.
    const byScore = { coverLabels: false, diversity: 0, preferQuality: false };
    const topK = Math.max(request.topK, Math.min(DEEPEST, DEPTH * request.topK));
    const deep = rewrites.length === 0 ? request : { ...request, ...byScore, topK };
    const [own, ...others] = await Promise.all([
      this.engine.search(viewer, deep, signal),
      ...rewrites.map((text) => this.#searchRewrite(viewer, { ...deep, subject: { kind: 'text', text } }, signal)),
    ]);
    const found = others.filter((other) => other !== null && 'hits' in other);
    const missing = others.filter((other) => other !== null && 'part' in other);
    const { receipt } = own;
    const byMean = fused(
      own.hits,
      found.map((result) => result.hits),
    );
    const hits = request.preferQuality && rewrites.length > 0 ? preferQuality(byMean, request.topK) : byMean;
    return {
      hits: hits.slice(0, request.topK).map((hit, place) => ({ ...hit, rank: place + 1 })),
      hasMore: hits.length > request.topK || [own, ...found].some((result) => result.hasMore),
      receipt: {
        ...receipt,
        requestedTopK: request.topK,
        rewrites,
        degraded: eachOnce([...[own, ...found].flatMap((result) => result.receipt.degraded), ...missing]),
        nothingClose: [own, ...found].every((result) => result.receipt.nothingClose),
        tookMs: performance.now() - started,
        stages: [{ stage: 'rewrite', tookMs: rewriteMs }, ...receipt.stages],
      },
    };
  }

  rescorer(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<Rescorer> {
    return this.engine.rescorer(viewer, request, signal);
  }

  rescorers(viewer: Viewer, asked: RescorersRequest, signal: AbortSignal): Promise<readonly Rescorer[]> {
    return this.engine.rescorers(viewer, asked, signal);
  }

  /** Null for a rewrite that has nothing to search for; one for which a part is missing, or that the model refuses,
   * only degrades the search. */
  async #searchRewrite(
    viewer: Viewer,
    request: SearchRequest,
    signal: AbortSignal,
  ): Promise<SearchResult | Degradation | null> {
    try {
      return await this.engine.search(viewer, request, signal);
    } catch (thrown) {
      const isRefused = thrown instanceof BadInputError && thrown.cause instanceof RefusedTextError;
      if (thrown instanceof BadInputError && !isRefused) return null;
      signal.throwIfAborted();
      if (!isRefused && !(thrown instanceof UnavailableError)) throw thrown;
      return failed(thrown, 'the query was not expanded by one of its rewrites');
    }
  }
}

function failed(thrown: unknown, effect: string): Degradation {
  return { part: 'rewrite', reason: `${asError(thrown).message}; ${effect}` };
}

/** Several searches lack the same part for the same reason. */
function eachOnce(degraded: readonly Degradation[]): readonly Degradation[] {
  return [...new Map(degraded.map((one) => [`${one.part}\n${one.reason}`, one])).values()];
}

/** Hits of several searches by the weighted mean of their scores, 0 where a card was not found. Pure. */
function fused(own: readonly SearchHit[], others: readonly (readonly SearchHit[])[]): readonly SearchHit[] {
  if (others.length === 0) return own;
  const weight = REWRITES_WEIGHT / others.length;
  const scores = new Map<string, number>();
  const hits = new Map<string, SearchHit>();
  const add = (found: readonly SearchHit[], share: number): void => {
    for (const hit of found) {
      const { id } = hit.card;
      scores.set(id, (scores.get(id) ?? 0) + (share * hit.score) / (1 + REWRITES_WEIGHT));
      if (!hits.has(id)) hits.set(id, hit);
    }
  };
  add(own, 1);
  for (const found of others) add(found, weight);
  return [...hits.values()]
    .map((hit) => ({ ...hit, score: scores.get(hit.card.id) as number }))
    .sort((a, b) => b.score - a.score || (a.card.id < b.card.id ? -1 : 1));
}
