/** Pairs (key, count) from `start` to `end`, by ascending key, each key once. */
export interface Pairs {
  readonly keys: Uint32Array;
  readonly counts: Uint16Array | Uint32Array;
  readonly start: number;
  readonly end: number;
}

/** Each number, and how often it is there, at most 65,535 times. Sorts `numbers` and writes into it. */
export function countedPairs(numbers: Uint32Array): Pairs {
  numbers.sort();
  const counts = new Uint16Array(numbers.length);
  let end = 0;
  for (let at = 0; at < numbers.length; end++) {
    const number = numbers[at] as number;
    const first = at;
    while (numbers[at] === number) at += 1;
    // The places before `at` have been read.
    numbers[end] = number;
    counts[end] = at - first;
  }
  return { keys: numbers, counts, start: 0, end };
}

/** Calls the function of each difference; returns whether there was one. */
export function comparePairs(
  before: Pairs,
  now: Pairs,
  on: {
    readonly removed: (key: number) => void;
    readonly added: (key: number, count: number) => void;
    readonly changed: (key: number, count: number) => void;
  },
): boolean {
  let isChanged = false;
  let old = before.start;
  let at = now.start;
  while (old < before.end || at < now.end) {
    const oldKey = old < before.end ? (before.keys[old] as number) : Number.POSITIVE_INFINITY;
    const key = at < now.end ? (now.keys[at] as number) : Number.POSITIVE_INFINITY;
    const count = now.counts[at] as number;
    if (oldKey < key) on.removed(oldKey);
    else if (key < oldKey) on.added(key, count);
    else if (before.counts[old] !== count) on.changed(key, count);
    isChanged ||= oldKey !== key || before.counts[old] !== count;
    if (oldKey <= key) old += 1;
    if (key <= oldKey) at += 1;
  }
  return isChanged;
}
