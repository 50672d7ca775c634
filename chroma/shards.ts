import { type CollectionKey, partsOfRecordId } from '../src/domain/ports/collections.js';

/** Names one shard of a collection; absent: the first, which has the name of the collection. */
export interface ShardKey extends CollectionKey {
  readonly shard?: number;
}

/** A new collection has shards for so many times its records: it may double before it is nearly full. */
const ROOM = 2;

/** The share of a shard's limit from which it is nearly full. The rest is for what is written during a rebuild. */
const NEARLY_FULL = 0.8;

/** The number of shards of a new collection. */
export function shardsFor(records: number, perCollection: number): number {
  return Math.max(1, Math.ceil((ROOM * records) / perCollection));
}

export function isNearlyFull(records: number, perCollection: number): boolean {
  return records > NEARLY_FULL * perCollection;
}

/** What a call is about, and whose it is: null for the id of a foreign client's record, which may be in any shard. */
export interface Routed<T> {
  readonly items: readonly T[];
  readonly cardOf: (item: T) => string | null;
}

/** The items by shard. The passages of a card are in one shard, so that it can be deleted by its id. */
export function byShard<Shard, T>(
  shards: readonly Shard[],
  { items, cardOf }: Routed<T>,
): readonly { readonly shard: Shard; readonly own: readonly T[] }[] {
  const places = items.map((item) => {
    const cardId = cardOf(item);
    return cardId === null ? null : shardOf(cardId, shards.length);
  });
  const isIn = (place: number) => (_: T, at: number) => places[at] === null || places[at] === place;
  return shards.map((shard, place) => ({ shard, own: items.filter(isIn(place)) }));
}

export function cardOfRecordId(id: string): string | null {
  return partsOfRecordId(id)?.cardId ?? null;
}

/** By the FNV-1a hash of the id. Its high bits: the low ones depend on those of the characters alone. */
function shardOf(cardId: string, shards: number): number {
  return Math.floor((fnv1a(cardId) / 2 ** 32) * shards);
}

/** A hash of 32 bits, of the text's UTF-16 code units. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
