import type { CardVersion } from '../domain/ports/ledger.js';
import type { EncodedSnapshot, LexicalSnapshots } from '../domain/ports/lexical.js';
import { type Analyse, type LexicalCard, LexicalIndex } from './lexical-index.js';

/** The lexical index of every tenant, each by itself: no word of one school's cards weighs on another's. */
export class LexicalIndexes implements LexicalSnapshots {
  readonly #analyse: Analyse;
  readonly #indexes = new Map<string, LexicalIndex>();

  constructor(analyse: Analyse) {
    this.#analyse = analyse;
  }

  /** The tenant's index; an empty one where it has no card. */
  of(tenantId: string): LexicalIndex {
    const known = this.#indexes.get(tenantId);
    if (known !== undefined) return known;
    const index = new LexicalIndex(this.#analyse);
    this.#indexes.set(tenantId, index);
    return index;
  }

  /** Sets what the tenant's cards say, whether they were here before or not; a version that is here is passed over. */
  set(tenantId: string, cards: Iterable<LexicalCard>): void {
    const index = this.of(tenantId);
    for (const card of cards) {
      if (!index.holds(card.id, card.revision, card.updatedAt.getTime())) index.set(card);
    }
  }

  /** Cards that are not here are passed over. */
  remove(tenantId: string, cardIds: Iterable<string>): void {
    const index = this.of(tenantId);
    for (const cardId of cardIds) index.delete(cardId);
  }

  /** The tenants that were asked for so far. */
  tenants(): readonly string[] {
    return [...this.#indexes.keys()];
  }

  /** How many cards of the tenant there are. */
  size(tenantId: string): number {
    return this.of(tenantId).size;
  }

  /** How often a card of the tenant was set or removed since its index was begun or restored. */
  changes(tenantId: string): number {
    return this.of(tenantId).changes;
  }

  /** The tenant's index as it is at this moment: see {@link LexicalIndex.copy}. */
  copy(tenantId: string): EncodedSnapshot {
    return this.of(tenantId).copy();
  }

  /**
   * Puts an index in place of the tenant's that has the copy's cards of exactly the versions given, after the last step; each
   * step takes some ten milliseconds. RangeError where the copy is none: the tenant's index is then what it was.
   */
  *restore(tenantId: string, copy: EncodedSnapshot, versions: ReadonlyMap<string, CardVersion>): Generator<void> {
    const index = new LexicalIndex(this.#analyse);
    yield* index.restore(copy, (cardId, revision, updatedAtMs) => {
      const version = versions.get(cardId);
      return version?.revision === revision && version.updatedAtMs === updatedAtMs;
    });
    this.#indexes.set(tenantId, index);
  }

  /** The ids of those cards that are not here in exactly the version given. */
  lacking(tenantId: string, versions: ReadonlyMap<string, CardVersion>): readonly string[] {
    const index = this.of(tenantId);
    const lacking = [...versions].filter(([id, version]) => !index.holds(id, version.revision, version.updatedAtMs));
    return lacking.map(([id]) => id);
  }

  /** The ids of the tenant's cards that are here and not among the versions given, or in a later revision. */
  surplus(tenantId: string, versions: ReadonlyMap<string, CardVersion>): readonly string[] {
    const index = this.of(tenantId);
    return index.cardIds().filter((id) => index.revisionOf(id) > (versions.get(id)?.revision ?? 0));
  }
}
