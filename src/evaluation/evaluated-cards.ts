import { batches } from '../domain/async.js';
import type { TakeTurn } from '../domain/background.js';
import { type Card, questionOf } from '../domain/card.js';
import type { IndexLedger } from '../domain/ports/ledger.js';
import type { SearchOperation } from '../domain/search.js';
import { inTurns, type Pause } from '../domain/steps.js';
import { Bm25Index } from '../lexical/bm25.js';
import { TermDictionary } from '../lexical/term-dictionary.js';
import type { HitFacts } from './metrics.js';
import type { Placed } from './slices.js';

export type CardFacts = HitFacts & Placed;

export type CardLedger = Pick<IndexLedger, 'cards' | 'versions'>;

/** Cards read at a time. */
const PAGE = 200;

/**
 * The cards of an evaluation: the fields that metrics and slices read, and plain BM25 indexes (k1 1.2, b .75) as the
 * baseline, of the questions, and for error searches of question plus wrong solution.
 */
export class EvaluatedCards {
  readonly #facts = new Map<string, CardFacts>();
  readonly #cards = new TermDictionary();
  readonly #questions = new Bm25Index({ cards: this.#cards });
  readonly #attempts: Bm25Index | null;

  /** `operations`: those that {@link byPlainBm25} is called with. */
  constructor(
    private readonly words: (text: string) => readonly string[],
    operations: ReadonlySet<SearchOperation>,
  ) {
    this.#attempts = operations.has('byError') ? new Bm25Index({ cards: this.#cards }) : null;
  }

  get size(): number {
    return this.#facts.size;
  }

  /** Adds a card; each id once. */
  add(card: Card): void {
    const { id, studentSolutionText, topicTags, grade, subject } = card;
    const text = questionOf(card);
    const question = this.words(text);
    // A question of symbols only has no tokens to compare.
    const questionKey = question.length === 0 ? text : question.join(' ');
    this.#facts.set(id, { questionKey, topics: topicTags, grade, subject });
    this.#questions.set(id, question);
    this.#attempts?.set(id, [...question, ...this.words(studentSolutionText ?? '')]);
  }

  factsOf(cardId: string): CardFacts | undefined {
    return this.#facts.get(cardId);
  }

  /** The best cards for a text by plain BM25, among those of the filter. */
  byPlainBm25(
    operation: SearchOperation,
    text: string,
    limit: number,
    matching: ReadonlySet<string>,
  ): readonly string[] {
    const index = operation === 'byError' ? this.#attempts : this.#questions;
    if (index === null) throw new Error('the wrong solutions are not indexed');
    const among = this.#cards.numbersOf(matching);
    return index.queries.search(this.words(text), limit, among).map(({ cardId }) => cardId);
  }
}

export interface EvaluatedCardsParts {
  readonly ledger: CardLedger;
  /** The tokens of a text for plain BM25. */
  readonly words: (text: string) => readonly string[];
  readonly takeTurn: TakeTurn;
  readonly pause: Pause;
}

/** Reads all cards of a tenant, page by page in the order of their ids. */
export async function readEvaluatedCards(
  { ledger, words, takeTurn, pause }: EvaluatedCardsParts,
  { tenantId, operations }: { readonly tenantId: string; readonly operations: ReadonlySet<SearchOperation> },
  signal: AbortSignal,
): Promise<EvaluatedCards> {
  const evaluated = new EvaluatedCards(words, operations);
  const ids = [...(await ledger.versions(tenantId)).keys()].sort();
  for (const page of batches(ids, PAGE)) {
    signal.throwIfAborted();
    await takeTurn(async () => {
      const cards = await ledger.cards(tenantId, page);
      await inTurns(cards.values(), (card) => evaluated.add(card), pause);
    });
  }
  return evaluated;
}
