import { numberKept } from './arrays.js';
import { ForwardIndex, type ForwardIndexSnapshot } from './forward-index.js';
import type { Pairs } from './pairs.js';
import { Postings } from './postings.js';

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

/** The lists of a snapshot that are kept, in steps; counts a hold on each of their keys. */
export function* keptLists(
  snapshot: ForwardIndexSnapshot,
  holds: Pick<Holds, 'kept' | 'terms'>,
): Generator<void, ForwardIndex> {
  const lists = new ForwardIndex();
  lists.restore(snapshot);
  for (const [first, last] of stepsOf(snapshot.starts.length)) {
    for (let list = first; list < last; list++) {
      if (holds.kept[list] !== 1) {
        lists.clear(list);
        continue;
      }
      for (const key of lists.keysOf(list)) holds.terms[key] = (holds.terms[key] as number) + 1;
    }
    yield;
  }
  return lists;
}

/**
 * Numbers the keys (each below `below`) of snapshots anew, in their order and without gaps, in steps. `kept` has the
 * old number of each new one.
 */
export function* renumbered<Name extends string>(
  snapshots: Readonly<Record<Name, ForwardIndexSnapshot>>,
  below: number,
): Generator<void, { readonly lists: Readonly<Record<Name, ForwardIndexSnapshot>>; readonly kept: Uint32Array }> {
  const numbers = new Uint32Array(below);
  const all = Object.entries<ForwardIndexSnapshot>(snapshots).map(([name, snapshot]) => {
    const lists = new ForwardIndex();
    lists.restore(snapshot);
    return { name: name as Name, lists, size: snapshot.starts.length };
  });
  for (const { lists, size } of all) {
    for (const [first, last] of stepsOf(size)) {
      for (let list = first; list < last; list++) for (const key of lists.keysOf(list)) numbers[key] = 1;
      yield;
    }
  }
  const kept = numberKept(numbers);
  const written: Record<Name, ForwardIndexSnapshot> = { ...snapshots };
  for (const { name, lists, size } of all) {
    const own = new ForwardIndex();
    for (const [first, last] of stepsOf(size)) {
      for (let list = first; list < last; list++) {
        const pairs = lists.pairsOf(list);
        for (let at = 0; at < pairs.end; at++) pairs.keys[at] = numbers[pairs.keys[at] as number] as number;
        own.write(list, pairs);
      }
      yield;
    }
    written[name] = own.snapshot(size);
  }
  return { lists: written, kept };
}

/** Fills `into`, in steps, with the transpose: its list `k` has (l, count) for each (k, count) in list `l`. */
export function* transposed(
  from: { pairsOf(list: number): Pairs },
  lists: number,
  keys: number,
  into: Postings,
): Generator<void, Postings> {
  const lengths = new Uint32Array(keys);
  for (const [first, end] of stepsOf(lists)) {
    for (let list = first; list < end; list++) {
      const pairs = from.pairsOf(list);
      for (let at = pairs.start; at < pairs.end; at++) {
        const key = pairs.keys[at] as number;
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
      const pairs = from.pairsOf(list);
      for (let at = pairs.start; at < pairs.end; at++) {
        const key = pairs.keys[at] as number;
        const to = next[key] as number;
        into.keys[to] = list;
        into.counts[to] = pairs.counts[at] as number;
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
