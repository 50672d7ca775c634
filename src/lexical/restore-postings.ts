import { Postings, type PostingsSnapshot } from './postings.js';

/** Which cards of a snapshot are kept, and how often what was restored so far holds each number of the dictionaries. */
export interface Holds {
  /** By doc: 1 for a card that is kept. */
  readonly kept: Uint8Array;
  /** By doc. */
  readonly cards: Uint32Array;
  /** By term. */
  readonly terms: Uint32Array;
}

/** Lists of a step: about a millisecond. */
const STEP = 1_000;

/** Each step as its first list and the end of its lists. */
function* stepsOf(lists: number): Generator<readonly [number, number]> {
  for (let first = 0; first < lists; first += STEP) yield [first, Math.min(lists, first + STEP)];
}

/**
 * Fills `into` with the lists that are kept, in steps, and counts a hold on each of their keys. RangeError unless the
 * snapshot is one of sorted lists of known terms: a damaged file must not become an index that is subtly wrong.
 */
export function* keptLists(
  snapshot: PostingsSnapshot,
  into: Postings,
  holds: Pick<Holds, 'kept' | 'terms'>,
): Generator<void, Postings> {
  const { starts, keys, counts } = snapshot;
  if (starts.length !== snapshot.lengths.length || keys.length !== counts.length) {
    throw new RangeError('the arrays of a snapshot differ in length');
  }
  const lengths = snapshot.lengths.map((length, list) => (holds.kept[list] === 1 ? length : 0));
  into.layOut(lengths);
  for (const [first, end] of stepsOf(lengths.length)) {
    for (let list = first; list < end; list++) {
      const length = lengths[list] as number;
      const from = starts[list] as number;
      const to = into.start(list);
      if (from + length > keys.length) throw new RangeError(`list ${list} ends outside of its snapshot`);
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
    yield;
  }
  return into;
}

/** Fills `into`, in steps, with the transpose: its list `k` has (l, count) for each (k, count) in list `l`. */
export function* transposed(from: Postings, lists: number, keys: number, into: Postings): Generator<void, Postings> {
  const lengths = new Uint32Array(keys);
  for (const [first, end] of stepsOf(lists)) {
    for (let list = first; list < end; list++) {
      for (let at = from.start(list); at < from.end(list); at++) {
        const key = from.keys[at] as number;
        lengths[key] = (lengths[key] as number) + 1;
      }
    }
    yield;
  }
  into.layOut(lengths);
  // By key: the place of its next pair. Lists come in ascending order, and so do the pairs.
  const next = lengths.map((_, key) => into.start(key));
  for (const [first, end] of stepsOf(lists)) {
    yield;
    for (let list = first; list < end; list++) {
      for (let at = from.start(list); at < from.end(list); at++) {
        const key = from.keys[at] as number;
        const to = next[key] as number;
        into.keys[to] = list;
        into.counts[to] = from.counts[at] as number;
        next[key] = to + 1;
      }
    }
  }
  return into;
}

/** For each list, in how many of its sets each key (below `keys`) is, and the total size of its sets; a list a step. */
export function* counted(
  lists: number,
  keys: number,
  setsOf: (list: number) => Iterable<Uint32Array>,
): Generator<void, { readonly lists: Postings; readonly lengths: readonly number[] }> {
  const into = new Postings({ countBits: 32 });
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
    yield;
  }
  return { lists: into, lengths };
}
