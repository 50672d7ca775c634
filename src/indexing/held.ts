import { type ByPerspective, byPerspective, byPerspectiveAsync } from '../domain/perspective.js';
import { type CollectionKey, recordId, type VectorReader } from '../domain/ports/collections.js';
import type { Generation, IndexLedger } from '../domain/ports/ledger.js';
import type { StoredRecord } from '../domain/ports/vectors.js';

/** The records that the index holds of one card, by perspective: the passage's number -> what is stored. */
export type StoredPassages = ByPerspective<ReadonlyMap<number, StoredRecord>>;

/** What is asked to know what the index holds. */
export interface StoredPassagesParts {
  readonly ledger: Pick<IndexLedger, 'indexed'>;
  readonly reader: Pick<VectorReader, 'read'>;
}

/**
 * What the generation's collections hold of the cards, whose passages are now `counts` many. The ledger cannot tell: a crash
 * between writing and acknowledging, or a gateway that was slow, leaves records that it knows nothing of, and a vector that
 * is taken for another text's is wrong for good.
 */
export async function storedPassages(
  { ledger, reader }: StoredPassagesParts,
  { tenantId, number }: Generation,
  counts: ReadonlyMap<string, ByPerspective<number>>,
  signal: AbortSignal,
): Promise<(cardId: string) => StoredPassages> {
  const indexed = await ledger.indexed(tenantId, number, [...counts.keys()]);
  const found = await byPerspectiveAsync((perspective) => {
    const expected = [...counts].map(([cardId, count]) => {
      const before = indexed.get(cardId)?.passages[perspective].length ?? 0;
      return { cardId, count: Math.max(count[perspective], before) };
    });
    return readAll(reader, { tenantId, generation: number, perspective }, expected, signal);
  });
  return (cardId) => byPerspective((perspective) => found[perspective].get(cardId) ?? new Map());
}

/** Reads the expected records and one more of each card, and so on while there is one more: what nobody expects is found too. */
async function readAll(
  reader: Pick<VectorReader, 'read'>,
  key: CollectionKey,
  expected: readonly { readonly cardId: string; readonly count: number }[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadonlyMap<number, StoredRecord>>> {
  const found = new Map(expected.map(({ cardId }) => [cardId, new Map<number, StoredRecord>()]));
  let wanted = expected.flatMap(({ cardId, count }) =>
    Array.from({ length: count + 1 }, (_, passage) => ({ cardId, passage, last: passage === count })),
  );
  while (wanted.length > 0) {
    const records = await reader.read(
      key,
      wanted.map(({ cardId, passage }) => recordId(cardId, passage)),
      signal,
    );
    wanted = wanted.flatMap(({ cardId, passage, last }) => {
      const record = records.get(recordId(cardId, passage));
      if (record === undefined) return [];
      found.get(cardId)?.set(passage, record);
      return last ? [{ cardId, passage: passage + 1, last }] : [];
    });
  }
  return found;
}
