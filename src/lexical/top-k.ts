/** A card and how well it does; higher is better. */
export interface ScoredCard {
  readonly cardId: string;
  readonly score: number;
}

interface Scores {
  /** By slot. */
  readonly scores: Float64Array;
  readonly cardIds: readonly string[];
  /** Where given, no other card is chosen. */
  readonly admitted: ReadonlySet<string> | undefined;
}

/**
 * The `limit` best of the slots whose score is above 0, best first, equal ones by card id. Keeps a heap with the worst of
 * the chosen on top: nearly all slots are dismissed by one comparison, and only then is it asked whether they may be chosen.
 */
export function best(slots: ArrayLike<number>, limit: number, { scores, cardIds, admitted }: Scores): ScoredCard[] {
  const heap: number[] = [];
  const score = (slot: number): number => scores[slot] ?? 0;
  const id = (slot: number): string => cardIds[slot] ?? '';
  const isWorse = (a: number, b: number): boolean => score(a) < score(b) || (score(a) === score(b) && id(a) > id(b));

  for (let i = 0; i < slots.length && limit > 0; i++) {
    const slot = slots[i] as number;
    const full = heap.length === limit;
    if (full ? !isWorse(heap[0] as number, slot) : score(slot) <= 0) continue;
    if (admitted !== undefined && !admitted.has(id(slot))) continue;
    if (full) sink(heap, slot, isWorse);
    else rise(heap, slot, isWorse);
  }
  heap.sort((a, b) => (isWorse(a, b) ? 1 : -1));
  return heap.map((slot) => ({ cardId: id(slot), score: score(slot) }));
}

type IsWorse = (a: number, b: number) => boolean;

/** Adds a slot at the bottom and lets it rise above all that are better. */
function rise(heap: number[], slot: number, isWorse: IsWorse): void {
  let at = heap.length;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] as number;
    if (!isWorse(slot, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = slot;
}

/** Puts a slot in place of the worst and lets it sink below all that are worse. */
function sink(heap: number[], slot: number, isWorse: IsWorse): void {
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    if (left >= heap.length) break;
    const right = left + 1;
    const child = right < heap.length && isWorse(heap[right] as number, heap[left] as number) ? right : left;
    const below = heap[child] as number;
    if (!isWorse(below, slot)) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = slot;
}
