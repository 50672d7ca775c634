import type { Rescorer } from '../domain/ports/evaluation.js';
import { LANES, type SearchRequest } from '../domain/search.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import { fuse } from './fuse.js';
import { infer } from './label.js';
import { lanesOf, weightsOf } from './lanes.js';
import type { Query, QueryLabels } from './query.js';
import type { ScoreMatrix } from './score-matrix.js';

/** What of a trial every ranking is made from. */
export interface RescoredLists {
  /** All dense and lexical lanes; the inferred ones depend on the settings. */
  readonly table: ScoreMatrix;
  readonly query: Query;
  readonly index: LexicalIndex;
  /** The search that the trial was made for: what its inferred lanes labelPosterior is believed alone, too. */
  readonly request: SearchRequest;
}

/** A weight that changes no belief: the lane is scored, and its votes come from the lanes that are asked. */
const BARELY = 1e-9;

/** Ranks the cards of one query by any lane and by any settings, from scores that are computed once. */
export class MatrixRescorer implements Rescorer {
  readonly #scores: RescoredLists;
  #inferred: ScoreMatrix | undefined;

  constructor(scores: RescoredLists) {
    this.#scores = scores;
  }

  get cardIds(): readonly string[] {
    return this.#scores.table.cardIds;
  }

  byLane(lane: number, limit: number): readonly string[] {
    const { cardIds } = this.#scores.table;
    const table = LANES[lane]?.kind === 'INFERRED' ? this.#withInferred() : this.#scores.table;
    const scores = table.lanes[lane] ?? null;
    if (scores === null) return [];
    // Numbers alone sort fast; the rows that may be taken are few.
    const positive = scores.filter((score) => score > 0).sort();
    const least = positive[Math.max(0, positive.length - limit)] ?? Number.POSITIVE_INFINITY;
    const rows = cardIds.map((_, row) => row).filter((row) => (scores[row] as number) >= least);
    const id = (row: number): string => cardIds[row] as string;
    rows.sort((a, b) => (scores[b] as number) - (scores[a] as number) || (id(a) < id(b) ? -1 : 1));
    return rows.slice(0, limit).map(id);
  }

  byRequest(request: SearchRequest, limit: number): readonly string[] {
    const { table, query, index } = this.#scores;
    const weights = weightsOf(lanesOf(request));
    const { table: whole } = infer(table, weights, { labels: believedBy(query.labels, request) }, index);
    const fused = fuse(whole, weights, request.fusion);
    return fused.order.slice(0, limit).map((row) => this.cardIds[row] as string);
  }

  narrowed(limit: number): Rescorer {
    const { table } = this.#scores;
    const kept = new Set(LANES.flatMap((_, lane) => this.byLane(lane, limit)));
    const rows = table.cardIds.flatMap((cardId, row) => (kept.has(cardId) ? [row] : []));
    const narrow: ScoreMatrix = {
      cardIds: rows.map((row) => table.cardIds[row] as string),
      lanes: table.lanes.map((scores) => scores && Float64Array.from(rows, (row) => scores[row] as number)),
    };
    return new MatrixRescorer({ ...this.#scores, table: narrow });
  }

  /** The table with both inferred lanes as the search of the trial believes them. */
  #withInferred(): ScoreMatrix {
    const { table, query, index, request } = this.#scores;
    this.#inferred ??= infer(table, this.#believing(request), query, index).table;
    return this.#inferred;
  }

  #believing(request: SearchRequest): Float64Array {
    const weights = weightsOf(lanesOf(request));
    LANES.forEach(({ kind }, lane) => {
      if (kind === 'INFERRED' && weights[lane] === 0) weights[lane] = BARELY;
    });
    return weights;
  }
}

/** The labels of the query, believed as the request says. */
function believedBy(labels: Query['labels'], { profilePower, voteShare }: SearchRequest): Query['labels'] {
  const rule = { profilePower, voteShare };
  const ruled = (one: QueryLabels): QueryLabels => (one.kind === 'inferred' ? { ...one, rule } : one);
  return { concept: ruled(labels.concept), error: ruled(labels.error) };
}
