import { perspectiveTexts, questionOf, type SearchableContent } from '../domain/card.js';
import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import type { LexicalLane } from '../domain/ports/scoring.js';
import { type AddedQuery, Bm25Index, type Bm25Options, type ScoredCard } from './bm25.js';
import type { ForwardIndexSnapshot } from './forward-index.js';
import type { Holds } from './restore-postings.js';
import { type Analyse, termsOfTexts } from './terms.js';

/** The terms of a card's texts. */
export interface CardTerms {
  readonly texts: ByPerspective<readonly string[]>;
  /** None if the card is no attempt: see {@link TextLanes}. */
  readonly attempt: readonly string[];
}

export function cardTerms(card: SearchableContent, analyse: Analyse): CardTerms {
  const written = perspectiveTexts(card);
  // The question and the wrong solution are also the attempt.
  const known = new Map<string, readonly string[]>();
  const once: Analyse = (text) => {
    const terms = known.get(text) ?? analyse(text);
    known.set(text, terms);
    return terms;
  };
  const termsOf = (texts: readonly string[]): readonly string[] => termsOfTexts(texts, once);
  const texts = byPerspective((perspective) => termsOf(written[perspective]));
  const { studentSolutionText } = card;
  if (studentSolutionText !== null) return { texts, attempt: termsOf([questionOf(card), studentSolutionText]) };
  return { texts, attempt: texts.error.length === 0 ? [] : texts.question };
}

export interface TextLanesSnapshot {
  readonly lanes: ByPerspective<ForwardIndexSnapshot>;
  readonly attempts: ForwardIndexSnapshot;
}

/**
 * The lexical lanes: a BM25 index for each perspective, and one of attempts.
 *
 * An attempt is the question with the wrong solution, as one text, of a card that has error types or a wrong solution:
 * the lexical lane of the error perspective compares a query with this and with the error's own text, and takes the
 * better score. A student's question and answer are like those of another card, also of one whose error nobody named; a
 * description of an error is like its error types.
 */
export class TextLanes {
  readonly #lanes: ByPerspective<Bm25Index>;
  readonly #attempts: Bm25Index;

  /** The dictionaries are shared. */
  constructor(options: Bm25Options) {
    this.#lanes = byPerspective(() => new Bm25Index(options));
    this.#attempts = new Bm25Index(options);
  }

  get bytes(): number {
    return PERSPECTIVES.reduce((sum, perspective) => sum + this.#lanes[perspective].bytes, this.#attempts.bytes);
  }

  set(cardId: string, { texts, attempt }: CardTerms): void {
    for (const perspective of PERSPECTIVES) this.#lanes[perspective].set(cardId, texts[perspective]);
    this.#attempts.set(cardId, attempt);
  }

  /** No-op if the card is not indexed. */
  delete(cardId: string): void {
    for (const perspective of PERSPECTIVES) this.#lanes[perspective].delete(cardId);
    this.#attempts.delete(cardId);
  }

  snapshot(): TextLanesSnapshot {
    return {
      lanes: byPerspective((perspective) => this.#lanes[perspective].snapshot()),
      attempts: this.#attempts.snapshot(),
    };
  }

  /** As {@link snapshot}, of these docs, in steps. */
  *snapshotOf(docs: Uint32Array): Generator<void, TextLanesSnapshot> {
    const attempts = this.#attempts.snapshotOf(docs);
    const lanes = new Map<Perspective, ForwardIndexSnapshot>();
    for (const perspective of PERSPECTIVES) {
      yield;
      lanes.set(perspective, this.#lanes[perspective].snapshotOf(docs));
    }
    return { lanes: byPerspective((perspective) => lanes.get(perspective) as ForwardIndexSnapshot), attempts };
  }

  /** As {@link Bm25Index.restore}. */
  *restore({ lanes, attempts }: TextLanesSnapshot, holds: Holds): Generator<void> {
    for (const perspective of PERSPECTIVES) yield* this.#lanes[perspective].restore(lanes[perspective], holds);
    yield* this.#attempts.restore(attempts, holds);
  }

  /** As {@link Bm25Index.termsOf}. */
  termsOf(perspective: Perspective, doc: number): Uint32Array {
    return this.#lanes[perspective].termsOf(doc);
  }

  hasText(perspective: Perspective, doc: number): boolean {
    return this.#lanes[perspective].hasText(doc) || (perspective === 'error' && this.#attempts.hasText(doc));
  }

  /** As {@link Bm25Index.search}. */
  search(perspective: Perspective, terms: readonly string[], limit: number, among?: ArrayLike<number>): ScoredCard[] {
    const found = this.#lanes[perspective].search(terms, limit, among);
    return perspective === 'error' ? bestOf(found, this.#attempts.search(terms, limit, among), limit) : found;
  }

  /** As {@link Bm25Index.search}, without attempts. */
  searchDocs(perspective: Perspective, terms: readonly string[], limit: number, docs: ArrayLike<number>): ScoredCard[] {
    return this.#lanes[perspective].search(terms, limit, docs);
  }

  /** As {@link Bm25Index.scores}. */
  scores(perspective: Perspective, terms: readonly string[], docs: Int32Array): Float64Array {
    const scores = this.#lanes[perspective].scores(terms, docs);
    return perspective === 'error' ? greater(scores, this.#attempts.scores(terms, docs)) : scores;
  }

  /** The lane of a scoring pass: see {@link Bm25Index.scan}. */
  lane(perspective: Perspective, query: AddedQuery): LexicalLane {
    const scan = this.#lanes[perspective].scan(query);
    const scans = perspective === 'error' ? [scan, this.#attempts.scan(query)] : [scan];
    return { kind: 'LEXICAL', weight: query.weight, scans };
  }
}

/** By place: the greater of two scores; NaN if both are. */
function greater(scores: Float64Array, others: Float64Array): Float64Array {
  return scores.map((score, place) => {
    const other = others[place] as number;
    return Number.isNaN(other) || score >= other ? score : other;
  });
}

/** At most `limit` cards of either list with their better score, best first, equal ones by id. */
function bestOf(found: readonly ScoredCard[], others: readonly ScoredCard[], limit: number): ScoredCard[] {
  const scores = new Map<string, number>();
  for (const { cardId, score } of [...found, ...others]) scores.set(cardId, Math.max(score, scores.get(cardId) ?? 0));
  return Array.from(scores, ([cardId, score]) => ({ cardId, score }))
    .sort((a, b) => b.score - a.score || (a.cardId < b.cardId ? -1 : 1))
    .slice(0, limit);
}
