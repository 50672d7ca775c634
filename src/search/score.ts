import type { UnavailableError } from '../domain/errors.js';
import type { Perspective } from '../domain/perspective.js';
import type { ComparableVectors, VectorSource } from '../domain/ports/vectors.js';
import { LANES } from '../domain/search.js';
import { type Degradation } from '../domain/search-result.js';
import { inSteps, type Pause } from '../domain/steps.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import type { Query } from './query/query.js';
import type { SearchScope } from './scope.js';

/**
 * Cards that are compared with one passage of a query in a step: with the most passages that a card and a query may
 * have, a step is some 10 ms.
 */
const BLOCK = 64;

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
  /** Between two steps; by default the event loop has a turn. */
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
  const { vectors, failure } = await stored.of(generation.tenantId, generation.number, wanted, signal, pause);
  const matrix = await inSteps(scoreSteps(ids, { vectors, index }, query, isAsked), pause, signal);
  return { matrix, vectors, degraded: failure === null ? [] : [unread(ids.length - vectors.size, failure)] };
}

export interface ScoreSources {
  readonly vectors: ReadonlyMap<string, ComparableVectors>;
  readonly index: Pick<LexicalIndex, 'cards' | 'changes' | 'texts'>;
}

/**
 * The scores of cards in the asked dense lanes, by the best pair of a query vector and a passage, and lexical lanes, in
 * steps. Where attempts are compared, the score of a card with an error text is that of its question and solution (the
 * mean), if that is greater. The label lanes are left out: they depend on the nearest cards by these. Pure.
 */
export function* scoreSteps(
  cardIds: readonly string[],
  { vectors, index }: ScoreSources,
  query: Pick<Query, 'card' | 'combined' | 'vectors' | 'terms' | 'expanded'>,
  isAsked: (lane: number) => boolean,
): Generator<void, ScoreMatrix> {
  const comparable = cardIds.map((id) => vectors.get(id));
  const docsOf = keptDocs(index, cardIds);
  const lanes: (Float64Array | null)[] = [];
  const dense: { readonly perspective: Perspective; readonly scores: Float64Array }[] = [];
  for (const [lane, { kind, perspective }] of LANES.entries()) {
    if (kind === 'INFERRED' || !isAsked(lane)) {
      lanes.push(null);
    } else if (kind === 'DENSE') {
      const scores = new Float64Array(cardIds.length);
      dense.push({ perspective, scores });
      lanes.push(scores);
    } else {
      // All cards at once: for many, one pass over the postings takes a fraction of looking at each card's terms.
      lanes.push(lexicalScores(index, perspective, query, docsOf()));
      yield;
    }
  }
  const similarity = (row: number, perspective: Perspective): number =>
    comparable[row]?.similarity(perspective, query.vectors[perspective]) ?? Number.NaN;
  const scoresOf = (asked: Perspective) => dense.find(({ perspective }) => perspective === asked)?.scores;
  const [questions, solutions] = [scoresOf('question'), scoresOf('solution')];
  const attempts = comparesAttempts('error', query) ? scoresOf('error') : undefined;
  const queries = Math.max(1, ...dense.map(({ perspective }) => query.vectors[perspective].length));
  const block = Math.ceil(BLOCK / queries);
  for (let first = 0; first < cardIds.length; first += block) {
    const end = Math.min(cardIds.length, first + block);
    for (const { perspective, scores } of dense) {
      for (let row = first; row < end; row++) scores[row] = similarity(row, perspective);
    }
    for (let row = first; attempts !== undefined && row < end; row++) {
      const error = attempts[row] as number;
      if (Number.isNaN(error)) continue;
      const question = questions?.[row] ?? similarity(row, 'question');
      const solution = solutions?.[row] ?? similarity(row, 'solution');
      const attempt = (question + solution) / 2;
      if (attempt > error) attempts[row] = attempt;
    }
    yield;
  }
  return { cardIds, lanes };
}

/** The cards' doc numbers, looked up again only after the index has changed, which it may between two steps. */
function keptDocs(index: ScoreSources['index'], cardIds: readonly string[]): () => Int32Array {
  let known: { readonly docs: Int32Array; readonly changes: number } | null = null;
  return () => {
    if (known?.changes !== index.changes) known = { docs: index.cards.docsOf(cardIds), changes: index.changes };
    return known.docs;
  };
}

function lexicalScores(
  index: ScoreSources['index'],
  perspective: Perspective,
  query: Pick<Query, 'combined' | 'terms' | 'expanded'>,
  docs: Int32Array,
): Float64Array {
  const terms = query.terms[perspective];
  const combined = query.combined === perspective;
  const expanded = query.expanded[perspective];
  // First, as the index may still have these scores: retrievers propose cards by them.
  const byExpansion = expanded.length === 0 ? null : index.texts.scores(perspective, expanded, docs, combined);
  const own =
    terms.length === 0
      ? new Float64Array(docs.length).fill(Number.NaN)
      : index.texts.scores(perspective, terms, docs, combined);
  if (byExpansion === null) return own;
  // An expansion must not lower the score of a card that says just what was asked.
  return own.map((ownScore, row) => Math.max(ownScore, byExpansion[row] as number));
}

/**
 * Whether the dense lane of a perspective compares attempts too: a text may describe an error, or be a question with a
 * wrong answer. docs/quality.md has the figures with and without.
 */
export function comparesAttempts(perspective: Perspective, { card }: Pick<Query, 'card'>): boolean {
  return perspective === 'error' && card === null;
}

/** The rows of those of the cards that are in the matrix, ascending. */
export function rowsOf({ cardIds }: ScoreMatrix, cards: ReadonlySet<string>): number[] {
  const rows: number[] = [];
  for (let row = 0; row < cardIds.length; row++) if (cards.has(cardIds[row] as string)) rows.push(row);
  return rows;
}

/** Some rows of a matrix, in the given order. */
export function rowsIn({ cardIds, lanes }: ScoreMatrix, rows: readonly number[]): ScoreMatrix {
  return {
    cardIds: rows.map((row) => cardIds[row] as string),
    lanes: lanes.map((scores) => scores && Float64Array.from(rows, (row) => scores[row] as number)),
  };
}

function unread(count: number, failure: UnavailableError): Degradation {
  return {
    part: 'vector cache',
    reason: `${count} candidates could not be compared by their vectors: ${failure.message}`,
  };
}
