import type { CardFilter } from '../domain/search.js';
import type { DocSet } from '../lexical/doc-set.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import type { Vocabulary } from './query/vocabulary.js';

/** The cards that a filter lets through, as the index is whenever it is asked: doc numbers change their cards. */
export class FilterBitmap {
  #docs: DocSet | undefined;
  #changes = -1;

  constructor(
    private readonly index: LexicalIndex,
    private readonly filter: CardFilter,
    private readonly vocabulary: Pick<Vocabulary, 'meantIn'>,
  ) {}

  /** Valid until the index changes. */
  get docs(): DocSet {
    if (this.#docs === undefined || this.#changes !== this.index.changes) {
      this.#docs = this.index.matching(this.filter, this.vocabulary.meantIn(this.index.profiles));
      this.#changes = this.index.changes;
    }
    return this.#docs;
  }

  get size(): number {
    return this.docs.size;
  }

  has(cardId: string): boolean {
    const doc = this.index.cards.docOf(cardId);
    return doc !== undefined && this.docs.has(doc);
  }

  cardIds(): string[] {
    return this.index.cards.idsOf(this.docs);
  }
}
