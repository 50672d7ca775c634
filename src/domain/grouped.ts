/** The first item of each key, in order. */
export function distinctBy<T, K>(items: readonly T[], keyOf: (item: T) => K): readonly T[] {
  const seen = new Set<K>();
  return items.filter((item) => !seen.has(keyOf(item)) && seen.add(keyOf(item)));
}

/** The items by key; both in the order of the items. As `Map.groupBy`, which Node 20 does not have. */
export function groupedBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): ReadonlyMap<K, readonly [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The items in order, in slices whose sizes sum to at most `maxSize`; a larger item is a slice of its own. */
export function* slicesOf<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  maxSize: number,
): Generator<readonly T[]> {
  let slice: T[] = [];
  let size = 0;
  for (const item of items) {
    const added = sizeOf(item);
    if (slice.length > 0 && size + added > maxSize) {
      yield slice;
      slice = [];
      size = 0;
    }
    slice.push(item);
    size += added;
  }
  if (slice.length > 0) yield slice;
}
