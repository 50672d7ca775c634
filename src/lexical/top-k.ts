/**
 * The places of the `k` highest scores above 0, highest first, equal ones by name; only of those `among`, where given.
 * NaN is no score. A heap with the worst of the best on top: nearly all places are dismissed by one comparison.
 */
export function topK(scores: Float64Array, k: number, names: readonly string[], among?: ArrayLike<number>): number[] {
  const heap: number[] = [];
  const isWorse = (a: number, b: number): boolean => {
    const difference = (scores[a] as number) - (scores[b] as number);
    return difference < 0 || (difference === 0 && (names[a] as string) > (names[b] as string));
  };
  const count = k > 0 ? (among ?? scores).length : 0;
  // The least score above 0, then that of the worst in a full heap.
  let least = Number.MIN_VALUE;
  for (let at = 0; at < count; at++) {
    const place = among === undefined ? at : (among[at] as number);
    // No `<`, by which NaN would pass.
    if (!((scores[place] as number) >= least)) continue;
    if (heap.length < k) rise(heap, place, isWorse);
    else if (isWorse(heap[0] as number, place)) sink(heap, place, isWorse);
    if (heap.length === k) least = scores[heap[0] as number] as number;
  }
  return heap.sort((a, b) => (isWorse(a, b) ? 1 : -1));
}

type IsWorse = (a: number, b: number) => boolean;

/** Adds a place at the bottom and lets it rise above all that are better. */
function rise(heap: number[], place: number, isWorse: IsWorse): void {
  let at = heap.length;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] as number;
    if (!isWorse(place, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = place;
}

/** Replaces the worst by a place and lets that sink below all that are worse. */
function sink(heap: number[], place: number, isWorse: IsWorse): void {
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    if (left >= heap.length) break;
    const right = left + 1;
    const child = right < heap.length && isWorse(heap[right] as number, heap[left] as number) ? right : left;
    const below = heap[child] as number;
    if (!isWorse(below, place)) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = place;
}
