import { inTurns, slicesOf } from '../domain/async.js';
import type { Pause } from '../domain/background.js';
import type { UnavailableError } from '../domain/errors.js';
import type { Perspective } from '../domain/perspective.js';
import type { ComparableVectors, VectorSource } from '../domain/ports/vectors.js';
import { LANES } from '../domain/search.js';
import { type Degradation } from '../domain/search-result.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import type { Query } from './query.js';
import type { SearchScope } from './scope.js';

/** Cards that are scored before the event loop has a turn: 8 µs each. */
const BLOCK = 500;

/**
 * The exact scores of candidates: a row for each candidate, a column for each of LANES, which is read in the order of
 * memory.
 */
export interface ScoreMatrix {
  readonly cardIds: readonly string[];
  /**
   * Each `Float64Array[cards]`: 0 .. 1, NaN if the card or the query has no text there; null for a lane that was not
   * scored.
   */
  readonly lanes: readonly (Float64Array | null)[];
}

export interface ScoreParts {
  readonly stored: VectorSource;
  /** Between two blocks of cards; by default the event loop has a turn. */
  readonly pause?: Pause;
}

/** Which cards are scored in which lanes, by place in LANES. */
export interface ScoreRequest {
  readonly cardIds: readonly string[];
  readonly query: Query;
  readonly isAsked: (lane: number) => boolean;
}

export interface Scored {
  readonly matrix: ScoreMatrix;
  /** By card id; a card without readable vectors is missing. */
  readonly vectors: ReadonlyMap<string, ComparableVectors>;
  readonly degraded: readonly Degradation[];
}

/** Any revision: whether the vectors of the hits are of the indexed one is checked at the end (`refresh.ts`). */
const ANY_REVISION = 0;

/** Scores cards by the vectors at hand and by their terms. */
export async function scoreCards(
  { stored, pause }: ScoreParts,
  { index, generation }: Pick<SearchScope, 'index' | 'generation'>,
  { cardIds: ids, query, isAsked }: ScoreRequest,
  signal: AbortSignal,
): Promise<Scored> {
  const wanted = new Map(ids.map((id) => [id, ANY_REVISION]));
  const { vectors, failure } = await stored.of(generation.tenantId, generation.number, wanted, signal);
  const scored = (cardIds: readonly string[]): ScoreMatrix => score(cardIds, { vectors, index }, query, isAsked);
  const blocks: ScoreMatrix[] = [scored(ids.slice(0, BLOCK))];
  await inTurns(
    slicesOf(ids.slice(BLOCK), () => 1, BLOCK),
    (cardIds) => blocks.push(scored(cardIds)),
    pause,
  );
  const matrix = joined(blocks);
  return { matrix, vectors, degraded: failure === null ? [] : [unread(ids.length - vectors.size, failure)] };
}

/**
 * The scores of cards in the asked dense lanes, by the best pair of a query vector and a passage (of errors: {@link
 * errorSimilarity}), and lexical lanes. The label lanes are left out: they depend on the nearest cards by these. Pure.
 */
export function score(
  cardIds: readonly string[],
  { vectors, index }: { readonly vectors: ReadonlyMap<string, ComparableVectors>; readonly index: LexicalIndex },
  query: Pick<Query, 'card' | 'vectors' | 'terms' | 'expanded'>,
  isAsked: (lane: number) => boolean,
): ScoreMatrix {
  const comparable = cardIds.map((id) => vectors.get(id));
  const lexicalScores = (perspective: Perspective, terms: readonly string[]): Float64Array =>
    terms.length === 0 ? new Float64Array(cardIds.length).fill(Number.NaN) : index.scores(perspective, terms, cardIds);
  const lanes = LANES.map(({ kind, perspective }, lane): Float64Array | null => {
    if (kind === 'INFERRED' || !isAsked(lane)) return null;
    if (kind === 'DENSE') {
      const similarityOf = (card: ComparableVectors): number | null =>
        comparesAttempts(perspective, query)
          ? errorSimilarity(card, query.vectors)
          : card.similarity(perspective, query.vectors[perspective]);
      return Float64Array.from(comparable, (card) => (card === undefined ? null : similarityOf(card)) ?? Number.NaN);
    }
    const own = lexicalScores(perspective, query.terms[perspective]);
    const expanded = query.expanded[perspective];
    if (expanded.length === 0) return own;
    // An expansion must not lower the score of a card that says just what was asked.
    const byExpansion = lexicalScores(perspective, expanded);
    return own.map((ownScore, row) => Math.max(ownScore, byExpansion[row] as number));
  });
  return { cardIds, lanes };
}

/**
 * Whether the dense lane of a perspective compares attempts too: a text may describe an error, or be a question with a
 * wrong answer. docs/evaluation.md has the figures with and without.
 */
export function comparesAttempts(perspective: Perspective, { card }: Pick<Query, 'card'>): boolean {
  return perspective === 'error' && card === null;
}

/**
 * The similarity to a card's error text, or to its question and solution (the mean), if that is greater; null without
 * an error text.
 */
function errorSimilarity(card: ComparableVectors, queries: Query['vectors']): number | null {
  const error = card.similarity('error', queries.error);
  const question = card.similarity('question', queries.question);
  const solution = card.similarity('solution', queries.solution);
  return error === null || question === null || solution === null ? error : Math.max(error, (question + solution) / 2);
}

/** Some rows of a matrix, in the given order. */
export function rowsIn({ cardIds, lanes }: ScoreMatrix, rows: readonly number[]): ScoreMatrix {
  return {
    cardIds: rows.map((row) => cardIds[row] as string),
    lanes: lanes.map((scores) => scores && Float64Array.from(rows, (row) => scores[row] as number)),
  };
}

/** The rows of several matrices as one. */
function joined(blocks: readonly ScoreMatrix[]): ScoreMatrix {
  const first = blocks[0] as ScoreMatrix;
  if (blocks.length === 1) return first;
  const cardIds = blocks.flatMap((block) => block.cardIds);
  const lanes = LANES.map((_, lane) => {
    if (first.lanes[lane] == null) return null;
    const all = new Float64Array(cardIds.length);
    let row = 0;
    for (const block of blocks) {
      all.set(block.lanes[lane] as Float64Array, row);
      row += block.cardIds.length;
    }
    return all;
  });
  return { cardIds, lanes };
}

function unread(count: number, failure: UnavailableError): Degradation {
  return {
    part: 'vector cache',
    reason: `${count} candidates could not be compared by their vectors: ${failure.message}`,
  };
}
