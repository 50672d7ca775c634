import { delay } from '../domain/async.js';
import { PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import { type RecordInspector, recordId, type VectorReader } from '../domain/ports/collections.js';
import type { AuditedCard, Generation } from '../domain/ports/ledger.js';
import type { VectorCache } from '../domain/ports/vectors.js';
import { keyOf } from './differences.js';

/** Neighbours that a card must be among when its own vector asks for them. */
const NEIGHBOURS = 10;

/** A neighbour as near as this is as near as the card itself: of many such, any may be named. */
const AS_NEAR_AS_ITSELF = 1 - 1e-4;

/** Two vectors of the same text are at least this alike; what goes through JSON and back loses nothing near that. */
const SAME_VECTOR = 0.999;

/** Cards tried at a time: a call for each of 50 cost ten times as much processor time as two calls for all of them. */
const PAGE = 20;

/** Between two pages, in ms: eight calls take some 100 ms, so that searches keep most of the server. */
const PAUSE_MS = 100;

/** What is asked. */
export interface SelfRecallParts {
  readonly reader: Pick<VectorReader, 'read'>;
  readonly inspector: Pick<RecordInspector, 'nearestToEach'>;
  readonly cache: Pick<VectorCache, 'get'>;
}

/** What asking with the cards' own vectors came to. */
export interface SelfRecall {
  /** Cards that their own vector does not find. */
  readonly unreachable: ReadonlySet<string>;
  /** Cards whose vector is not the one that was written. */
  readonly altered: ReadonlySet<string>;
}

/**
 * Compares each card's vectors with those that were written, where they are at hand, and asks for its neighbours by the first
 * of each perspective. A graph can lose the way to a record, and a file can be damaged, while the record itself is still listed
 * and read.
 */
export async function probeSelfRecall(
  parts: SelfRecallParts,
  generation: Generation,
  cards: readonly AuditedCard[],
  signal: AbortSignal,
): Promise<SelfRecall> {
  const unreachable = new Set<string>();
  const altered = new Set<string>();
  for (let at = 0; at < cards.length; at += PAGE) {
    await delay(PAUSE_MS, signal);
    for (const perspective of PERSPECTIVES) {
      const probed = await probe(parts, generation, perspective, cards.slice(at, at + PAGE), signal);
      for (const cardId of probed.altered) altered.add(cardId);
      for (const cardId of probed.unreachable) unreachable.add(cardId);
    }
  }
  return { unreachable, altered };
}

async function probe(
  { reader, inspector, cache }: SelfRecallParts,
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
  const stored = await reader.read(key, ids, signal);
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
      const own = written?.[passage]?.vector;
      return vector !== undefined && own !== undefined && likeness(own, vector) < SAME_VECTOR;
    });
    const [first] = vectors;
    if (isAltered) altered.push(cardId);
    // Without a first one, it changed or went meanwhile: whoever did that is writing it.
    else if (first !== undefined) sought.push({ cardId, vector: first });
  }
  const found = await inspector.nearestToEach(
    key,
    sought.map(({ vector }) => vector),
    NEIGHBOURS,
  );
  const unreachable = sought.filter(({ cardId }, place) => {
    const nearest = found[place] ?? [];
    const last = nearest.at(-1);
    const isFound = nearest.some((one) => one.cardId === cardId);
    return !isFound && !(last !== undefined && last.similarity >= AS_NEAR_AS_ITSELF);
  });
  return { unreachable: unreachable.map(({ cardId }) => cardId), altered };
}

/** The cosine of the angle between two vectors of unit length; 0 where they are not of the same length at all. */
function likeness(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  return a.reduce((sum, value, place) => sum + value * (b[place] ?? 0), 0);
}
