import type { Card } from '../domain/card.js';
import type { Passage } from '../domain/passages.js';
import { type ByPerspective, byPerspective, byPerspectiveAsync, type Perspective } from '../domain/perspective.js';
import { type CollectionKey, type RecordLabel, recordId, type VectorStore } from '../domain/ports/collections.js';
import type { Generation, IndexedCard, IndexLedger } from '../domain/ports/ledger.js';
import type { CardVectors, StoredRecord, VectorCache } from '../domain/ports/vectors.js';
import { keyOf } from './differences.js';

/**
 * The records of one card, by perspective: passage number -> record; null if it is not of the text that the card has
 * there now.
 */
export type StoredPassages = ByPerspective<ReadonlyMap<number, StoredRecord | null>>;

export interface StoredPassagesParts {
  readonly ledger: Pick<IndexLedger, 'indexed'>;
  readonly vectorStore: Pick<VectorStore, 'read' | 'labels'>;
  readonly cache: Pick<VectorCache, 'get'>;
}

/** By card and passage. */
type Labels = ReadonlyMap<string, ReadonlyMap<number, Pick<RecordLabel, 'contentHash' | 'revision'>>>;

/**
 * The stored records of the cards in the generation: of those in `doubted` as the collections have them, of the
 * others as the ledger lists them. A crash between writing and acknowledging, or a slow gateway, leaves records that
 * the ledger does not list, and a vector taken for that of another text would be wrong for good. Vectors, which are
 * nearly all of what a record weighs, are taken from the cache where that has the card as the ledger says it was
 * indexed. `wanted`: by card, the content hashes of its passages now, in order.
 */
export async function storedPassages(
  parts: StoredPassagesParts,
  generation: Generation,
  wanted: ReadonlyMap<string, ByPerspective<readonly string[]>>,
  doubted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<(cardId: string) => StoredPassages> {
  const { tenantId, number } = generation;
  const indexed = await parts.ledger.indexed(tenantId, number, [...wanted.keys()]);
  const cached = new Map(
    [...indexed].map(([cardId, before]): [string, CachedCard] => {
      const vectors = parts.cache.get(tenantId, number, cardId);
      return [cardId, vectors?.revision === before.revision ? { before, passages: vectors.passages } : null];
    }),
  );
  const found = await byPerspectiveAsync(async (perspective) => {
    const key = keyOf(generation, perspective);
    const listed = [...indexed].map(([cardId, entry]) => [cardId, labelsIn(entry, perspective)] as const);
    const counts = [...wanted].flatMap(([cardId, hashes], place) => {
      // A server that answers everything with an empty object seems to write, so each batch reads something.
      const isProbe = place === 0 && perspective === 'question';
      if (!isProbe && !doubted.has(cardId)) return [];
      const before = indexed.get(cardId)?.passages[perspective].length ?? 0;
      return [{ cardId, count: Math.max(hashes[perspective].length, before) }];
    });
    const labels: Labels = new Map([...listed, ...(await labelsOf(parts.vectorStore, key, counts, signal))]);
    const records = new Map<string, Map<number, StoredRecord | null>>();
    const unread: { readonly cardId: string; readonly passage: number }[] = [];
    for (const [cardId, ofCard] of labels) {
      const held = new Map<number, StoredRecord | null>();
      records.set(cardId, held);
      for (const [passage, { contentHash, revision }] of ofCard) {
        held.set(passage, null);
        if (wanted.get(cardId)?.[perspective][passage] !== contentHash) continue;
        const known = cached.get(cardId);
        const isSame = known?.before.passages[perspective][passage] === contentHash;
        const vector = isSame ? known.passages[perspective][passage] : undefined;
        if (vector === undefined) unread.push({ cardId, passage });
        else held.set(passage, { contentHash, revision, vector });
      }
    }
    const ids = unread.map(({ cardId, passage }) => recordId(cardId, passage));
    const read: ReadonlyMap<string, StoredRecord> =
      ids.length === 0 ? new Map() : await parts.vectorStore.read(key, ids, signal, 'background');
    for (const { cardId, passage } of unread) {
      const record = read.get(recordId(cardId, passage));
      // Written by another gateway since its label was read: it is written once more.
      const isWanted = record?.contentHash === wanted.get(cardId)?.[perspective][passage];
      if (record !== undefined && isWanted) records.get(cardId)?.set(passage, record);
    }
    return records;
  });
  return (cardId) => byPerspective((perspective) => found[perspective].get(cardId) ?? new Map());
}

function labelsIn({ revision, passages }: IndexedCard, perspective: Perspective) {
  return new Map(passages[perspective].map((contentHash, passage) => [passage, { contentHash, revision }]));
}

type CachedCard = (Pick<CardVectors, 'passages'> & { readonly before: IndexedCard }) | null;

/**
 * Reads the expected records and one more of each card, repeatedly while there is one more, so that unexpected records
 * are found.
 */
async function labelsOf(
  vectorStore: Pick<VectorStore, 'labels'>,
  key: CollectionKey,
  expected: readonly { readonly cardId: string; readonly count: number }[],
  signal: AbortSignal,
): Promise<Labels> {
  const found = new Map(expected.map(({ cardId }) => [cardId, new Map<number, RecordLabel>()]));
  let wanted = expected.flatMap(({ cardId, count }) =>
    Array.from({ length: count + 1 }, (_, passage) => ({ cardId, passage, last: passage === count })),
  );
  while (wanted.length > 0) {
    signal.throwIfAborted();
    const labels = await vectorStore.labels(
      key,
      wanted.map(({ cardId, passage }) => recordId(cardId, passage)),
    );
    wanted = wanted.flatMap(({ cardId, passage, last }) => {
      const label = labels.get(recordId(cardId, passage));
      if (label === undefined) return [];
      found.get(cardId)?.set(passage, label);
      return last ? [{ cardId, passage: passage + 1, last }] : [];
    });
  }
  return found;
}

export interface CurrentPassage extends Passage {
  /** The record of this very text, whose vector stays and at most the metadata change; null if it must be embedded. */
  readonly stored: StoredRecord | null;
}

/** Changes that bring one generation up to date with a card. */
export interface CardChanges {
  readonly card: Card;
  readonly passages: ByPerspective<readonly CurrentPassage[]>;
  /** Ids of the records behind the last passage, last first: a crash in between leaves no gap that hides the rest. */
  readonly surplus: ByPerspective<readonly string[]>;
}

/**
 * Diffs a card's passages against its records in the index. Pure. A record of another text counts only where it is
 * surplus.
 */
export function changesOf(card: Card, passages: ByPerspective<readonly Passage[]>, held: StoredPassages): CardChanges {
  return {
    card,
    passages: byPerspective((perspective) =>
      passages[perspective].map((passage, place) => {
        const record = held[perspective].get(place) ?? null;
        return { ...passage, stored: record?.contentHash === passage.contentHash ? record : null };
      }),
    ),
    surplus: byPerspective((perspective) =>
      [...held[perspective].keys()]
        .filter((passage) => passage >= passages[perspective].length)
        .sort((a, b) => b - a)
        .map((passage) => recordId(card.id, passage)),
    ),
  };
}
