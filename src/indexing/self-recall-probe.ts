import { batches, delay } from '../domain/async.js';
import type { GiveWay } from '../domain/background.js';
import { PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import { recordId, type VectorStore } from '../domain/ports/collections.js';
import type { AuditedCard, Generation } from '../domain/ports/ledger.js';
import type { VectorCache } from '../domain/ports/vectors.js';
import { keyOf } from './differences.js';

/** Number of nearest neighbours of its own vector among which a card must be. */
const NEIGHBOURS = 10;

/** From this similarity on a neighbour ties with the card itself: of many ties, any may be returned. */
const AS_NEAR_AS_ITSELF = 1 - 1e-4;

/** Minimum cosine of two vectors of the same text; a round trip through JSON loses far less. */
const SAME_VECTOR = 0.999;

/** Cards probed in one call: 50 single calls took ten times the CPU time of two calls for all. */
const PAGE = 20;

/** Pause between two pages, in ms: eight calls take some 100 ms, so that most of the server is left to searches. */
const PAUSE_MS = 100;

export interface SelfRecallParts {
  readonly vectorStore: Pick<VectorStore, 'read' | 'nearest'>;
  readonly cache: Pick<VectorCache, 'get'>;
  readonly background: Pick<GiveWay, 'pause'>;
}

export interface SelfRecall {
  /** Cards that are not found by their own vector. */
  readonly unreachable: ReadonlySet<string>;
  /** Cards whose vector differs from the one that was written. */
  readonly altered: ReadonlySet<string>;
}

/**
 * Compares each card's vectors with the cached ones. In Chroma, also queries the neighbours of the first vector of each
 * perspective: an HNSW graph can lose the path to a record, and a file can be damaged, while the record itself can
 * still be listed and read. PostgreSQL has no graph, and compares a query with every record.
 */
export async function probeSelfRecall(
  parts: SelfRecallParts,
  generation: Generation,
  cards: readonly AuditedCard[],
  signal: AbortSignal,
): Promise<SelfRecall> {
  const unreachable = new Set<string>();
  const altered = new Set<string>();
  const isInChroma = generation.inChroma !== false;
  for (const page of isInChroma ? batches(cards, PAGE) : [cards]) {
    if (isInChroma) await delay(PAUSE_MS, signal);
    for (const perspective of PERSPECTIVES) {
      await parts.background.pause();
      const probed = await probe(parts, generation, perspective, page, signal);
      for (const cardId of probed.altered) altered.add(cardId);
      for (const cardId of probed.unreachable) unreachable.add(cardId);
    }
  }
  return { unreachable, altered };
}

async function probe(
  { vectorStore, cache }: SelfRecallParts,
  generation: Generation,
  perspective: Perspective,
  cards: readonly AuditedCard[],
  signal: AbortSignal,
): Promise<{ readonly unreachable: readonly string[]; readonly altered: readonly string[] }> {
  const { tenantId, number } = generation;
  const key = keyOf(generation, perspective);
  const hashesOf = ({ indexed }: AuditedCard): readonly string[] => indexed?.passages[perspective] ?? [];
  const ids = cards.flatMap((card) => hashesOf(card).map((_, passage) => recordId(card.cardId, passage)));
  if (ids.length === 0) return { unreachable: [], altered: [] };
  const stored = await vectorStore.read(key, ids, signal, 'background');
  const altered: string[] = [];
  const sought: { readonly cardId: string; readonly vector: Float32Array }[] = [];
  for (const card of cards) {
    const { cardId, indexed } = card;
    const cached = cache.get(tenantId, number, cardId);
    const written = cached?.revision === indexed?.revision ? cached?.passages[perspective] : undefined;
    const vectors = hashesOf(card).map((hash, passage) => {
      const record = stored.get(recordId(cardId, passage));
      return record?.contentHash === hash ? record.vector : undefined;
    });
    const isAltered = vectors.some((vector, passage) => {
      const own = written?.[passage];
      return vector !== undefined && own !== undefined && likeness(own, vector) < SAME_VECTOR;
    });
    const [first] = vectors;
    if (isAltered) altered.push(cardId);
    // Without a first passage the card was changed or deleted meanwhile, and is being indexed.
    else if (first !== undefined) sought.push({ cardId, vector: first });
  }
  if (generation.inChroma === false) return { altered, unreachable: [] };
  const found = await vectorStore.nearest(
    key,
    sought.map(({ vector }) => vector),
    NEIGHBOURS,
    signal,
  );
  const unreachable = sought.filter(({ cardId }, place) => {
    const nearest = found[place] ?? [];
    const last = nearest.at(-1);
    const isFound = nearest.some((one) => one.cardId === cardId);
    return !isFound && !(last !== undefined && last.similarity >= AS_NEAR_AS_ITSELF);
  });
  return { unreachable: unreachable.map(({ cardId }) => cardId), altered };
}

/** Cosine of two unit vectors; 0 if their dimensions differ. */
function likeness(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  return a.reduce((sum, value, place) => sum + value * (b[place] ?? 0), 0);
}
