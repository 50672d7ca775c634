import { inTurns } from '../domain/async.js';
import type { TakeTurn } from '../domain/background.js';
import type { Card } from '../domain/card.js';
import type { IndexLedger } from '../domain/ports/ledger.js';
import type { SearchOperation } from '../domain/search.js';
import { Bm25Index } from '../lexical/bm25.js';
import type { HitFacts } from './metrics.js';
import type { Placed } from './slices.js';

/** What an evaluation knows of a card. */
export type CardFacts = HitFacts & Placed;

/** Where the cards are read. */
export type NotebookLedger = Pick<IndexLedger, 'cards' | 'versions'>;

/** How many cards are read at a time. */
const PAGE = 200;

/**
 * The cards as an evaluation sees them: what measures and slices ask of each, and the words of the questions in plain BM25
 * (k1 1.2, b .75), which every search should beat; for searches by error the wrong solution stands beside the question.
 */
export class EvaluatedCollection {
  readonly #facts = new Map<string, CardFacts>();
  readonly #questions = new Bm25Index();
  readonly #attempts = new Bm25Index();
  readonly #words: (text: string) => readonly string[];

  constructor(words: (text: string) => readonly string[]) {
    this.#words = words;
  }

  /** How many cards there are. */
  get size(): number {
    return this.#facts.size;
  }

  /** Adds a card; each id once. */
  add({ id, questionText, studentSolutionText, topicTags, grade, subject }: Card): void {
    const question = this.#words(questionText);
    // A question of signs alone has no words to be told by.
    const questionKey = question.length === 0 ? questionText : question.join(' ');
    this.#facts.set(id, { questionKey, topics: topicTags, grade, subject });
    this.#questions.set(id, question);
    this.#attempts.set(id, [...question, ...this.#words(studentSolutionText ?? '')]);
  }

  /** Undefined where there is no such card. */
  factsOf(cardId: string): CardFacts | undefined {
    return this.#facts.get(cardId);
  }

  /** The best cards for a text by plain BM25, among the admitted ones. */
  byPlainBm25(
    operation: SearchOperation,
    text: string,
    limit: number,
    admitted: ReadonlySet<string>,
  ): readonly string[] {
    const index = operation === 'byError' ? this.#attempts : this.#questions;
    return index.search(this.#words(text), limit, admitted).map(({ cardId }) => cardId);
  }
}

/** What reading a collection asks. */
export interface CollectionParts {
  readonly ledger: NotebookLedger;
  /** The words of a text, as plain BM25 counts them. */
  readonly words: (text: string) => readonly string[];
  readonly takeTurn: TakeTurn;
}

/** Reads all cards of a tenant, page by page in the order of their ids. */
export async function readCollection(
  { ledger, words, takeTurn }: CollectionParts,
  tenantId: string,
  signal: AbortSignal,
): Promise<EvaluatedCollection> {
  const notebook = new EvaluatedCollection(words);
  const ids = [...(await ledger.versions(tenantId)).keys()].sort();
  for (let first = 0; first < ids.length; first += PAGE) {
    const page = ids.slice(first, first + PAGE);
    signal.throwIfAborted();
    await takeTurn(async () => {
      const cards = await ledger.cards(tenantId, page);
      await inTurns(cards.values(), (card) => notebook.add(card));
    });
  }
  return notebook;
}
