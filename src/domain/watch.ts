import { abortable, delay } from './async.js';
import type { ChangeEvents } from './ports/changes.js';
import type { SyncChange, SyncFeed } from './ports/sync.js';
import type { CardFilter } from './search.js';
import type { Viewer } from './viewer.js';

/** Interval of reads if changes are not announced; the minimum interval if they are. In ms. */
const REST_MS = 1_000;

export interface Watched<T> {
  read(): Promise<T>;
  /** True for the final state. */
  isLast(state: T): boolean;
  /** Announces that another state may be read; null: it is read every second. */
  readonly changes: ChangeEvents | null;
  readonly signal: AbortSignal;
}

/**
 * The distinct states of a job or an index until the final one. Reads only when the next state is requested, so that a
 * slow consumer misses states and buffers none. Throws the signal's reason as soon as it aborts, and what `read`
 * throws.
 */
export async function* statesOf<T>({ read, isLast, changes, signal }: Watched<T>): AsyncGenerator<T, void> {
  const pause = pausesOf(changes, signal);
  let told: string | undefined;
  for (;;) {
    signal.throwIfAborted();
    const state = await abortable(read(), signal);
    const text = JSON.stringify(state);
    if (text !== told) yield state;
    told = text;
    if (isLast(state)) return;
    await pause();
  }
}

/** Changes that are read at once. */
const PAGE = 100;

export interface WatchedCards {
  readonly feed: SyncFeed;
  readonly viewer: Viewer;
  readonly filter: CardFilter;
  readonly changes: ChangeEvents;
  readonly signal: AbortSignal;
}

/** Changes from now on that concern the filter. Throws as {@link statesOf}. */
export async function* changesOf({
  feed,
  viewer,
  filter,
  changes,
  signal,
}: WatchedCards): AsyncGenerator<SyncChange, void> {
  const pause = pausesOf(changes, signal);
  const matching = new MatchingChanges();
  let { endCursor: after } = await feed.changes(viewer, { first: 0, after: null }, signal);
  for (;;) {
    signal.throwIfAborted();
    const page = await feed.changes(viewer, { first: PAGE, after, filter }, signal);
    for (const { node: change } of page.edges) {
      const told = matching.told(change);
      if (told !== null) yield told;
    }
    after = page.endCursor;
    if (!page.hasNextPage) await pause();
  }
}

/**
 * The returned function resolves at least {@link REST_MS} later, when there may have been a change since its last call.
 */
function pausesOf(changes: ChangeEvents | null, signal: AbortSignal): () => Promise<void> {
  if (changes === null) return () => delay(REST_MS, signal);
  let wake = new AbortController();
  const forget = changes.onChange(() => wake.abort());
  signal.addEventListener('abort', forget, { once: true });
  return async () => {
    await delay(REST_MS, signal);
    await delay(changes.pollMs - REST_MS, signal, wake.signal);
    wake = new AbortController();
  };
}

/** Cards known not to match that are remembered: about 1 MB. Of a forgotten one, a removal may be told again. */
const MAX_KNOWN = 10_000;

/**
 * What a subscriber with a filter is told: what matches, and what does not match any more, without its card. What a
 * card was before the subscription is not known: its first change tells that it does not match, unless it is a new
 * card.
 */
export class MatchingChanges {
  /** Cards that do not match, those that changed last at the end. */
  readonly #absent = new Set<string>();

  constructor(private readonly maxKnown = MAX_KNOWN) {}

  /** Null: nothing. */
  told(change: SyncChange): SyncChange | null {
    const { cardId, kind, revision } = change;
    const wasAbsent = this.#absent.delete(cardId);
    if (kind === 'SAVED') return change;
    this.#absent.add(cardId);
    for (const [oldest] of this.#absent.entries()) {
      if (this.#absent.size <= this.maxKnown) break;
      this.#absent.delete(oldest);
    }
    const isNew = kind === 'UNMATCHED' && revision === 1;
    return wasAbsent || isNew ? null : { ...change, card: null };
  }
}
