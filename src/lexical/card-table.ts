import { type CardVersion, isVersion } from '../domain/ports/ledger.js';
import type { IsCurrent } from '../domain/ports/lexical.js';
import type { DocSet } from './doc-set.js';
import { TermDictionary } from './term-dictionary.js';

export interface CardTableSnapshot {
  /** By doc; '' without a card. */
  readonly cardIds: readonly string[];
  /** By doc: 0 without a card. */
  readonly revisions: Uint32Array;
  readonly updatedAtMs: Float64Array;
}

/** By doc: 1 where the snapshot has the current version of a card. */
export function currentDocs({ cardIds, revisions, updatedAtMs }: CardTableSnapshot, isCurrent: IsCurrent): Uint8Array {
  return Uint8Array.from(cardIds, (cardId, doc) => {
    const revision = revisions[doc] ?? 0;
    return revision > 0 && isCurrent(cardId, { revision, updatedAtMs: updatedAtMs[doc] ?? 0 }) ? 1 : 0;
  });
}

/** The doc numbers of the indexed cards, and the version of each. */
export class CardTable {
  /** Shared with the parts of the index: each holds the numbers of its cards. */
  readonly numbers = new TermDictionary();
  /**
   * By doc; revision 0 without a card. A revision alone is no version: a database that was restored from a backup gives
   * some of them out again.
   */
  #revisions: number[] = [];
  #updatedAtMs: number[] = [];

  /** Doc numbers are below this one. */
  get docs(): number {
    return this.numbers.names.length;
  }

  /** '' for a free doc number. */
  idOf(doc: number): string {
    return this.numbers.names[doc] ?? '';
  }

  docOf(cardId: string): number | undefined {
    return this.numbers.of(cardId);
  }

  /** By place: the card's doc number, or -1; of the index until it changes. */
  docsOf(cardIds: readonly string[]): Int32Array {
    return this.numbers.numbersByPlace(cardIds);
  }

  revisionOf(cardId: string): number {
    const doc = this.docOf(cardId);
    return doc === undefined ? 0 : (this.#revisions[doc] ?? 0);
  }

  /** Undefined if the card is not indexed. */
  versionOf(cardId: string): CardVersion | undefined {
    const doc = this.docOf(cardId);
    const revision = doc === undefined ? 0 : (this.#revisions[doc] ?? 0);
    return revision === 0 ? undefined : { revision, updatedAtMs: this.#updatedAtMs[doc as number] as number };
  }

  holds(cardId: string, version: CardVersion): boolean {
    return isVersion(this.versionOf(cardId), version);
  }

  ids(): string[] {
    return this.numbers.names.filter((_, doc) => (this.#revisions[doc] ?? 0) > 0);
  }

  /** In the order of their doc numbers. */
  idsOf(docs: DocSet): string[] {
    return Array.from(docs.docs(), (doc) => this.numbers.names[doc] as string);
  }

  /** Adds a card, or changes its version; returns its doc number. */
  set(cardId: string, { revision, updatedAtMs }: CardVersion): number {
    const doc = this.numbers.take(cardId);
    if ((this.#revisions[doc] ?? 0) === 0) this.numbers.hold(doc);
    this.#revisions[doc] = revision;
    this.#updatedAtMs[doc] = updatedAtMs;
    return doc;
  }

  delete(doc: number): void {
    this.#revisions[doc] = 0;
    this.numbers.release(doc);
  }

  snapshot(): CardTableSnapshot {
    return {
      cardIds: this.numbers.names.slice(),
      revisions: Uint32Array.from(this.#revisions),
      updatedAtMs: Float64Array.from(this.#updatedAtMs),
    };
  }

  /** As {@link snapshot}, of these cards alone. */
  snapshotOf(cards: DocSet): CardTableSnapshot {
    const docs = cards.docs();
    return {
      cardIds: this.idsOf(cards),
      revisions: Uint32Array.from(docs, (doc) => this.#revisions[doc] as number),
      updatedAtMs: Float64Array.from(docs, (doc) => this.#updatedAtMs[doc] as number),
    };
  }

  /** In steps, fills an empty table with the kept cards of a snapshot (by doc: 1); the numbers have so many holders. */
  *restore(
    { cardIds, revisions, updatedAtMs }: CardTableSnapshot,
    kept: Uint8Array,
    holds: Uint32Array,
  ): Generator<void> {
    this.#revisions = Array.from(revisions, (revision, doc) => (kept[doc] === 1 ? revision : 0));
    this.#updatedAtMs = Array.from(updatedAtMs);
    yield* this.numbers.restore(cardIds, holds);
  }
}
