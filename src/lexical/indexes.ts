import type { CardVersion } from '../domain/ports/ledger.js';
import type { LexicalSnapshot, LexicalSnapshots } from '../domain/ports/lexical.js';
import { isVersion, versionOf } from './card-table.js';
import type { IndexSnapshot } from './index-snapshot.js';
import { type LexicalCard, LexicalIndex } from './lexical-index.js';
import type { Analyse } from './terms.js';

/** The lexical index of every tenant. Each has its own statistics: one school's cards do not weigh on another's. */
export class LexicalIndexes implements LexicalSnapshots {
  readonly #analyse: Analyse;
  readonly #indexes = new Map<string, LexicalIndex>();

  constructor(analyse: Analyse) {
    this.#analyse = analyse;
  }

  of(tenantId: string): LexicalIndex {
    const known = this.#indexes.get(tenantId);
    if (known !== undefined) return known;
    const index = new LexicalIndex(this.#analyse);
    this.#indexes.set(tenantId, index);
    return index;
  }

  /** Versions that are indexed already are skipped. */
  set(tenantId: string, cards: Iterable<LexicalCard>): void {
    const index = this.of(tenantId);
    for (const card of cards) {
      if (!index.cards.holds(card.id, versionOf(card))) index.set(card);
    }
  }

  remove(tenantId: string, cardIds: Iterable<string>): void {
    const index = this.of(tenantId);
    for (const cardId of cardIds) index.delete(cardId);
  }

  drop(tenantId: string): void {
    this.#indexes.delete(tenantId);
  }

  bytes(tenantId: string): number {
    return this.of(tenantId).bytes;
  }

  size(tenantId: string): number {
    return this.of(tenantId).size;
  }

  changes(tenantId: string): number {
    return this.of(tenantId).changes;
  }

  snapshot(tenantId: string): IndexSnapshot {
    return this.of(tenantId).snapshot();
  }

  /** Replaces the tenant's index after the last step; until then it is what it was. */
  *restore(tenantId: string, snapshot: LexicalSnapshot, versions: ReadonlyMap<string, CardVersion>): Generator<void> {
    const index = new LexicalIndex(this.#analyse);
    yield* index.restore(snapshot as IndexSnapshot, (cardId, version) => isVersion(versions.get(cardId), version));
    this.#indexes.set(tenantId, index);
  }

  lacking(tenantId: string, versions: ReadonlyMap<string, CardVersion>): readonly string[] {
    const index = this.of(tenantId);
    const lacking = [...versions].filter(([id, version]) => !index.cards.holds(id, version));
    return lacking.map(([id]) => id);
  }

  surplus(tenantId: string, versions: ReadonlyMap<string, CardVersion>): readonly string[] {
    const index = this.of(tenantId);
    return index.cards.ids().filter((id) => index.cards.revisionOf(id) > (versions.get(id)?.revision ?? 0));
  }
}
