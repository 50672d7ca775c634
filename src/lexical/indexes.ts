import { type Analyse, type LexicalCard, NotebookIndex } from './notebook-index.js';

/** The lexical index of every tenant, each by itself: no word of one school's cards weighs on another's. */
export class LexicalIndexes {
  readonly #analyse: Analyse;
  readonly #indexes = new Map<string, NotebookIndex>();

  constructor(analyse: Analyse) {
    this.#analyse = analyse;
  }

  /** The tenant's index; an empty one where it has no card. */
  of(tenantId: string): NotebookIndex {
    const known = this.#indexes.get(tenantId);
    if (known !== undefined) return known;
    const index = new NotebookIndex(this.#analyse);
    this.#indexes.set(tenantId, index);
    return index;
  }

  /** Sets what the tenant's cards say, whether they were here before or not. */
  set(tenantId: string, cards: Iterable<LexicalCard>): void {
    const index = this.of(tenantId);
    for (const card of cards) index.set(card);
  }

  /** Cards that are not here are passed over. */
  remove(tenantId: string, cardIds: Iterable<string>): void {
    const index = this.of(tenantId);
    for (const cardId of cardIds) index.delete(cardId);
  }
}
