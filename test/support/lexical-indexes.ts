import { versionOf } from '../../src/domain/ports/ledger.js';
import type { LexicalWriter } from '../../src/domain/ports/lexical.js';
import { type LexicalCard, LexicalIndex } from '../../src/lexical/lexical-index.js';
import type { Analyse } from '../../src/lexical/terms.js';

/** The lexical index of every tenant, empty at first, which stays in memory. */
export class LexicalIndexes implements LexicalWriter {
  readonly #indexes = new Map<string, LexicalIndex>();

  constructor(private readonly analyse: Analyse) {}

  of(tenantId: string): LexicalIndex {
    const index = this.#indexes.get(tenantId) ?? new LexicalIndex(this.analyse);
    this.#indexes.set(tenantId, index);
    return index;
  }

  set(tenantId: string, cards: Iterable<LexicalCard>): void {
    const index = this.of(tenantId);
    for (const card of cards) {
      if (!index.cards.holds(card.id, versionOf(card))) index.set(card);
    }
  }

  *setSteps(tenantId: string, card: LexicalCard): Generator<void> {
    yield;
    this.set(tenantId, [card]);
  }

  remove(tenantId: string, cardIds: Iterable<string>): void {
    const index = this.of(tenantId);
    for (const cardId of cardIds) index.delete(cardId);
  }
}
