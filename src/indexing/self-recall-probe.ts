import { delay } from '../domain/async.js';
import { PERSPECTIVES } from '../domain/perspective.js';
import { recordId, type VectorReader } from '../domain/ports/collections.js';
import type { AuditedCard, Generation } from '../domain/ports/ledger.js';
import type { VectorCache } from '../domain/ports/vectors.js';
import { keyOf } from './differences.js';

/** Neighbours that a card must be among when its own vector asks for them. */
const NEIGHBOURS = 10;

/** A neighbour as near as this is as near as the card itself: of many such, any may be named. */
const AS_NEAR_AS_ITSELF = 1 - 1e-4;

/** Two vectors of the same text are at least this alike; what goes through JSON and back loses nothing near that. */
const SAME_VECTOR = 0.999;

/** Between two cards, in milliseconds: four queries take about 20 ms, so that searches keep most of the server. */
const PAUSE_MS = 20;

/** What is asked. */
export interface SelfRecallParts {
  readonly reader: VectorReader;
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
 * of each perspective. A graph can lose the way to
 * a record, and a file can be damaged, while the record itself is still listed and read.
 */
export async function probeSelfRecall(
  { reader, cache }: SelfRecallParts,
  generation: Generation,
  cards: readonly AuditedCard[],
  signal: AbortSignal,
): Promise<SelfRecall> {
  const unreachable = new Set<string>();
  const altered = new Set<string>();
  const { tenantId, number } = generation;
  for (const { cardId, indexed } of cards) {
    await delay(PAUSE_MS, signal);
    const cached = cache.get(tenantId, number, cardId);
    const written = cached?.revision === indexed?.revision ? cached?.passages : undefined;
    for (const perspective of PERSPECTIVES) {
      const hashes = indexed?.passages[perspective] ?? [];
      if (hashes.length === 0) continue;
      const key = keyOf(generation, perspective);
      const ids = hashes.map((_, passage) => recordId(cardId, passage));
      const stored = await reader.read(key, ids, signal);
      const vectors = hashes.map((hash, passage) => {
        const record = stored.get(recordId(cardId, passage));
        return record?.contentHash === hash ? record.vector : undefined;
      });
      const isAltered = vectors.some((vector, passage) => {
        const own = written?.[perspective][passage]?.vector;
        return vector !== undefined && own !== undefined && likeness(own, vector) < SAME_VECTOR;
      });
      if (isAltered) altered.add(cardId);
      const [first] = vectors;
      // Changed or gone meanwhile: whoever did that is writing it.
      if (isAltered || first === undefined) continue;
      const nearest = await reader.nearest(key, first, NEIGHBOURS, signal);
      const last = nearest.at(-1);
      if (nearest.some((one) => one.cardId === cardId) || (last && last.similarity >= AS_NEAR_AS_ITSELF)) continue;
      unreachable.add(cardId);
    }
  }
  return { unreachable, altered };
}

/** The cosine of the angle between two vectors of unit length; 0 where they are not of the same length at all. */
function likeness(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  return a.reduce((sum, value, place) => sum + value * (b[place] ?? 0), 0);
}
