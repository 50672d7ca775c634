import { Postings, type PostingsSnapshot } from './postings.js';

/** What is to be kept of a copy, and how often each number is held by what was kept so far. */
export interface Holds {
  /** By slot: 1 where the card is kept. */
  readonly kept: Uint8Array;
  /** By slot. */
  readonly cards: Uint32Array;
  /** By term. */
  readonly terms: Uint32Array;
}

/**
 * Fills `into` with the lists of the cards that are kept, and counts a hold on each key. RangeError where the copy is not one
 * of sorted lists of known terms: nothing that is read from a file may end up as an index that is subtly wrong.
 */
export function keptLists(copy: PostingsSnapshot, into: Postings, holds: Pick<Holds, 'kept' | 'terms'>): Postings {
  const { starts, keys, counts } = copy;
  if (starts.length !== copy.lengths.length || keys.length !== counts.length) throw new RangeError('a copy has gaps');
  const lengths = copy.lengths.map((length, list) => (holds.kept[list] === 1 ? length : 0));
  into.layOut(lengths);
  for (const [list, length] of lengths.entries()) {
    const from = starts[list] as number;
    const to = into.start(list);
    if (from + length > keys.length) throw new RangeError(`list ${list} ends outside of its copy`);
    for (let at = 0; at < length; at++) {
      const key = keys[from + at] as number;
      const count = counts[from + at] as number;
      const follows = at === 0 || key > (keys[from + at - 1] as number);
      if (key >= holds.terms.length || count === 0 || !follows) throw new RangeError(`list ${list} is not in order`);
      into.keys[to + at] = key;
      into.counts[to + at] = count;
      holds.terms[key] = (holds.terms[key] as number) + 1;
    }
  }
  return into;
}

/** Fills `into` with the same pairs by their keys: its list `k` has (l, count) for each (k, count) in list `l`. */
export function transposed(from: Postings, lists: number, keys: number, into: Postings): Postings {
  const lengths = new Uint32Array(keys);
  for (let list = 0; list < lists; list++) {
    for (let at = from.start(list); at < from.end(list); at++) {
      const key = from.keys[at] as number;
      lengths[key] = (lengths[key] as number) + 1;
    }
  }
  into.layOut(lengths);
  // By key: where its next pair goes. Lists come in ascending order, so the pairs do too.
  const next = lengths.map((_, key) => into.start(key));
  for (let list = 0; list < lists; list++) {
    for (let at = from.start(list); at < from.end(list); at++) {
      const key = from.keys[at] as number;
      const to = next[key] as number;
      into.keys[to] = list;
      into.counts[to] = from.counts[at] as number;
      next[key] = to + 1;
    }
  }
  return into;
}

/** Counts in how many of its sets each list has each key, below `keys`; and how long all the sets of a list are together. */
export function counted(
  lists: number,
  keys: number,
  setsOf: (list: number) => Iterable<Uint32Array>,
): { readonly lists: Postings; readonly lengths: readonly number[] } {
  const into = new Postings(Uint32Array);
  const lengths: number[] = [];
  const counts = new Uint32Array(keys);
  for (let list = 0; list < lists; list++) {
    const found: number[] = [];
    let length = 0;
    for (const set of setsOf(list)) {
      for (const key of set) {
        if (counts[key] === 0) found.push(key);
        counts[key] = (counts[key] as number) + 1;
      }
      length += set.length;
    }
    lengths.push(length);
    into.reserve(list, found.length);
    for (const key of Uint32Array.from(found).sort()) {
      into.insert(list, key, counts[key] as number);
      counts[key] = 0;
    }
  }
  return { lists: into, lengths };
}
