/** The words and labels that are matched, and their copies on the disk. */
import type { Card } from '../card.js';
import type { CardVersion } from './ledger.js';

/** The write path's view of the words and labels that are matched. Every write may be repeated; none waits. */
export interface LexicalWriter {
  set(tenantId: string, cards: Iterable<Card>): void;
  remove(tenantId: string, cardIds: Iterable<string>): void;
}

/** A tenant's words and labels as they were at one moment: parts in a fixed order that only the index itself can read. */
export interface EncodedSnapshot {
  readonly strings: readonly (readonly string[])[];
  readonly numbers: readonly (Uint32Array | Uint16Array | Float64Array)[];
}

/** Making copies of the words that are matched, and taking them back. */
export interface LexicalSnapshots {
  /** The tenants that have words, or were asked for. */
  tenants(): readonly string[];
  /** How many cards of the tenant there are. */
  size(tenantId: string): number;
  /** How often a card was set or removed since the tenant's words were begun or restored. */
  changes(tenantId: string): number;
  /** The words as they are at this moment. */
  copy(tenantId: string): EncodedSnapshot;
  /** Takes back those cards that are of exactly the versions given, a step at a time. RangeError where the copy is none. */
  restore(tenantId: string, copy: EncodedSnapshot, versions: ReadonlyMap<string, CardVersion>): Generator<void>;
  /** The ids of those cards that are not here in exactly the version given. */
  lacking(tenantId: string, versions: ReadonlyMap<string, CardVersion>): readonly string[];
  /** The ids of the tenant's cards that are here and not among the versions given, or in a later revision: a set would not replace it. */
  surplus(tenantId: string, versions: ReadonlyMap<string, CardVersion>): readonly string[];
}

/** Where copies of the words are kept, so that a start need not make them anew. Whatever is lost there costs time only. */
export interface SnapshotStore {
  /** What was written last and is whole; null, and a line in the log where there was something, in any other case. */
  read(tenantId: string): Promise<EncodedSnapshot | null>;
  /** Replaces what there was, at once or not at all. */
  write(tenantId: string, copy: EncodedSnapshot): Promise<void>;
}
