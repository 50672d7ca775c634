import { perspectiveTexts, questionOf, type SearchableContent } from '../domain/card.js';
import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import type { LexicalLane } from '../domain/ports/scoring.js';
import { Bm25Index } from './bm25.js';
import { type AddedQuery, type Bm25Parts, Bm25Queries, type ScoredCard } from './bm25-queries.js';
import { DocSet } from './doc-set.js';
import type { ForwardIndexSnapshot } from './forward-index.js';
import type { Holds } from './restore-postings.js';
import { type Analyse, termsOfTexts } from './terms.js';

/** The terms of a card's texts. */
export interface CardTerms {
  readonly texts: ByPerspective<readonly string[]>;
  /** None if the card is no attempt: see {@link TextLanes}. */
  readonly attempt: readonly string[];
}

/** A text in each step: one of 16 KB takes some 20 ms. */
export function* cardTermSteps(card: SearchableContent, analyse: Analyse): Generator<void, CardTerms> {
  const written = perspectiveTexts(card);
  // The question and the wrong solution are also the attempt.
  const known = new Map<string, readonly string[]>();
  const once: Analyse = (text) => {
    const terms = known.get(text) ?? analyse(text);
    known.set(text, terms);
    return terms;
  };
  for (const perspective of PERSPECTIVES) {
    for (const text of written[perspective]) {
      once(text);
      yield;
    }
  }
  const termsOf = (texts: readonly string[]): readonly string[] => termsOfTexts(texts, once);
  const texts = byPerspective((perspective) => termsOf(written[perspective]));
  const { studentSolutionText } = card;
  if (studentSolutionText !== null) return { texts, attempt: termsOf([questionOf(card), studentSolutionText]) };
  return { texts, attempt: texts.error.length === 0 ? [] : texts.question };
}

/**
 * A term that more cards have than both of these say adds nothing to the score of combined texts: in large notebooks
 * nearly all postings are those of such terms, and a search of 50,000 cards took 1.5 instead of 1.1 times as long.
 */
const COMMON_DOCS = 5_000;
const COMMON_SHARE = 0.1;

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
 *
 * A text of which words are in the question, others in the solution or the labels of a card is compared with these
 * combined, and the better score counts ({@link Bm25Queries} of all perspectives), in searches that are not for one of
 * these texts. docs/decisions/015-label-model.md has the figures.
 */
export class TextLanes {
  readonly lanes: ByPerspective<Bm25Index>;
  readonly #attempts: Bm25Index;
  readonly #combined: Bm25Queries;

  constructor(private readonly parts: Bm25Parts) {
    this.lanes = byPerspective(() => new Bm25Index(parts));
    this.#attempts = new Bm25Index(parts);
    this.#combined = new Bm25Queries(
      PERSPECTIVES.map((perspective) => this.lanes[perspective]),
      { ...parts, mostDocs: (docs) => Math.max(COMMON_DOCS, COMMON_SHARE * docs) },
    );
  }

  get bytes(): number {
    return PERSPECTIVES.reduce((sum, perspective) => sum + this.lanes[perspective].bytes, this.#attempts.bytes);
  }

  set(cardId: string, { texts, attempt }: CardTerms): void {
    for (const perspective of PERSPECTIVES) this.lanes[perspective].set(cardId, texts[perspective]);
    this.#attempts.set(cardId, attempt);
  }

  /** No-op if the card is not indexed. */
  delete(cardId: string): void {
    for (const perspective of PERSPECTIVES) this.lanes[perspective].delete(cardId);
    this.#attempts.delete(cardId);
  }

  snapshot(): TextLanesSnapshot {
    return {
      lanes: byPerspective((perspective) => this.lanes[perspective].snapshot()),
      attempts: this.#attempts.snapshot(),
    };
  }

  /** As {@link snapshot}, of these docs, in steps. */
  *snapshotOf(docs: Uint32Array): Generator<void, TextLanesSnapshot> {
    const attempts = this.#attempts.snapshotOf(docs);
    const lanes = new Map<Perspective, ForwardIndexSnapshot>();
    for (const perspective of PERSPECTIVES) {
      yield;
      lanes.set(perspective, this.lanes[perspective].snapshotOf(docs));
    }
    return { lanes: byPerspective((perspective) => lanes.get(perspective) as ForwardIndexSnapshot), attempts };
  }

  /** As {@link Bm25Index.restore}. */
  *restore({ lanes, attempts }: TextLanesSnapshot, holds: Holds): Generator<void> {
    for (const perspective of PERSPECTIVES) yield* this.lanes[perspective].restore(lanes[perspective], holds);
    yield* this.#attempts.restore(attempts, holds);
  }

  hasText(perspective: Perspective, doc: number): boolean {
    return this.lanes[perspective].hasText(doc) || (perspective === 'error' && this.#attempts.hasText(doc));
  }

  /** Whether a card has two of the terms, in any of its texts. At worst linear in the postings of the terms. */
  someHasTwoOf(terms: ReadonlySet<string>): boolean {
    const found = new DocSet(this.parts.cards.names.length);
    for (const term of terms) {
      const number = this.parts.terms.of(term) ?? -1;
      const lists = PERSPECTIVES.map((perspective) => this.lanes[perspective].postings.keysOf(number));
      if (lists.some((docs) => docs.some((doc) => found.has(doc)))) return true;
      for (const docs of lists) for (const doc of docs) found.add(doc);
    }
    return false;
  }

  /**
   * As {@link Bm25Queries.search}; `combined`: also in all texts of a card as one, by errors only of cards with an
   * error type or a wrong solution.
   */
  search(
    perspective: Perspective,
    terms: readonly string[],
    limit: number,
    { among, combined = false }: { readonly among?: ArrayLike<number> | undefined; readonly combined?: boolean } = {},
  ): readonly ScoredCard[] {
    const found = [...this.lanes[perspective].queries.search(terms, limit, among)];
    if (perspective === 'error') found.push(...this.#attempts.queries.search(terms, limit, among));
    if (combined) found.push(...this.#combined.search(terms, limit, this.#docsWithText(perspective, among)));
    return perspective === 'error' || combined ? bestOf(found, limit) : found;
  }

  /** As {@link Bm25Queries.scores}. */
  scores(perspective: Perspective, terms: readonly string[], docs: Int32Array, combined = false): Float64Array {
    const own = this.lanes[perspective].queries.scores(terms, docs);
    const scores = perspective === 'error' ? greater(own, this.#attempts.queries.scores(terms, docs)) : own;
    if (!combined) return scores;
    const all = this.#combined.scores(terms, docs);
    return perspective === 'error' ? raised(scores, all) : greater(scores, all);
  }

  /** The lane of a scoring pass: see {@link Bm25Queries.scan}. */
  lane(perspective: Perspective, query: AddedQuery, combined = false): LexicalLane {
    const scans = [this.lanes[perspective].queries.scan(query)];
    if (perspective === 'error') scans.push(this.#attempts.queries.scan(query));
    if (combined) scans.push(this.#combined.scan(query));
    return { kind: 'LEXICAL', weight: query.weight, scans };
  }

  /** Undefined for all. */
  #docsWithText(perspective: Perspective, among?: ArrayLike<number>): ArrayLike<number> | undefined {
    // Every card has a question, which may name a topic. Only a mistake has an error.
    if (perspective !== 'error') return among;
    const docs = [];
    const count = among?.length ?? this.parts.cards.names.length;
    for (let at = 0; at < count; at++) {
      const doc = among?.[at] ?? at;
      if (this.hasText(perspective, doc)) docs.push(doc);
    }
    return docs;
  }
}

/** By place: the greater of two scores; NaN if both are. */
function greater(scores: Float64Array, others: Float64Array): Float64Array {
  return scores.map((score, place) => {
    const other = others[place] as number;
    return Number.isNaN(other) || score >= other ? score : other;
  });
}

/** By place: the greater of two scores; NaN where the first is. */
function raised(scores: Float64Array, others: Float64Array): Float64Array {
  return scores.map((score, place) => Math.max(score, others[place] as number));
}

/** At most `limit` cards with their best score, best first, equal ones by id. */
function bestOf(found: readonly ScoredCard[], limit: number): ScoredCard[] {
  const scores = new Map<string, number>();
  for (const { cardId, score } of found) scores.set(cardId, Math.max(score, scores.get(cardId) ?? 0));
  return Array.from(scores, ([cardId, score]) => ({ cardId, score }))
    .sort((a, b) => b.score - a.score || (a.cardId < b.cardId ? -1 : 1))
    .slice(0, limit);
}
