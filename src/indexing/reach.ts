import { PERSPECTIVES } from '../domain/perspective.js';
import { delay } from '../lifecycle.js';
import { type AuditedCard, type Generation, recordId, type VectorCache, type VectorReader } from '../ports.js';
import { keyOf, type RecordOf } from './differences.js';

/** Neighbours that a card must be among when its own vector asks for them. */
const NEIGHBOURS = 10;

/** A neighbour as near as this is as near as the card itself: of many such, any may be named. */
const AS_NEAR_AS_ITSELF = 1 - 1e-4;

/** Two vectors of the same text are at least this alike; what goes through JSON and back loses nothing near that. */
const SAME_VECTOR = 0.999;

/** Between two cards, in milliseconds: four queries take about 20 ms, so that searches keep most of the server. */
const PAUSE_MS = 20;

/** What is asked. */
export interface ReachParts {
  readonly reader: VectorReader;
  readonly cache: Pick<VectorCache, 'get'>;
}

/** What asking with the cards' own vectors came to; the records named are to be written anew, their vectors too. */
export interface Reach {
  /** Cards that their own vector does not find. */
  readonly unreachable: ReadonlySet<string>;
  /** Cards whose vector is not the one that was written. */
  readonly altered: ReadonlySet<string>;
  readonly records: readonly RecordOf[];
}

/**
 * Asks for the neighbours of each card by its own vectors, the first passage of each perspective. A graph can lose the way to
 * a record, and a file can be damaged, while the record itself is still listed and read.
 */
export async function probeReach(
  { reader, cache }: ReachParts,
  generation: Generation,
  cards: readonly AuditedCard[],
  signal: AbortSignal,
): Promise<Reach> {
  const unreachable = new Set<string>();
  const altered = new Set<string>();
  const records: RecordOf[] = [];
  const { tenantId, number } = generation;
  for (const { cardId, indexed } of cards) {
    await delay(PAUSE_MS, signal);
    for (const perspective of PERSPECTIVES) {
      const contentHash = indexed?.passages[perspective][0];
      if (contentHash === undefined) continue;
      const key = keyOf(generation, perspective);
      const id = recordId(cardId, 0);
      const stored = (await reader.read(key, [id], signal)).get(id);
      // Changed or gone meanwhile: whoever did that is writing it.
      if (stored?.contentHash !== contentHash) continue;
      const cached = cache.get(tenantId, number, cardId);
      const written = cached?.revision === indexed?.revision ? cached?.passages[perspective][0] : undefined;
      if (written !== undefined && likeness(written.vector, stored.vector) < SAME_VECTOR) {
        altered.add(cardId);
      } else {
        const nearest = await reader.nearest(key, stored.vector, NEIGHBOURS, signal);
        const last = nearest.at(-1);
        if (nearest.some((one) => one.cardId === cardId) || (last && last.similarity >= AS_NEAR_AS_ITSELF)) continue;
        unreachable.add(cardId);
      }
      records.push({ perspective, recordId: id });
    }
  }
  return { unreachable, altered, records };
}

/** The cosine of the angle between two vectors of unit length; 0 where they are not of the same length at all. */
function likeness(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  return a.reduce((sum, value, place) => sum + value * (b[place] ?? 0), 0);
}
