import { type ByPerspective, byPerspective, byPerspectiveAsync } from '../domain/perspective.js';
import { type CollectionKey, recordId, type VectorReader } from '../domain/ports/collections.js';
import type { Generation, IndexLedger } from '../domain/ports/ledger.js';
import type { StoredRecord } from '../domain/ports/vectors.js';

/** The stored records of one card, by perspective: passage number -> record. */
export type StoredPassages = ByPerspective<ReadonlyMap<number, StoredRecord>>;

export interface StoredPassagesParts {
  readonly ledger: Pick<IndexLedger, 'indexed'>;
  readonly reader: Pick<VectorReader, 'read'>;
}

/**
 * Reads the stored records of the cards from the generation's collections; `counts` are the numbers of their passages now. The
 * ledger is not enough: a crash between writing and acknowledging, or a slow gateway, leaves records that it does not list, and a
 * vector taken for that of another text would be wrong for good.
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

/** Reads the expected records and one more of each card, repeatedly while there is one more, so that unexpected records are found. */
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
