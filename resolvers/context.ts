import DataLoader from 'dataloader';
import type { Card } from '../src/domain/card.js';
import { cardsByGivenIds, type MergeableCards } from '../src/domain/given-ids.js';
import type { ChangeEvents } from '../src/domain/ports/changes.js';
import type { EvaluationStore } from '../src/domain/ports/evaluation.js';
import type { IndexControl } from '../src/domain/ports/gateway.js';
import type { ImportJobStore } from '../src/domain/ports/imports.js';
import type { CardIndexState, IndexLedger } from '../src/domain/ports/ledger.js';
import type { SyncFeed } from '../src/domain/ports/sync.js';
import type { Tutor } from '../src/domain/ports/tutoring.js';
import type { Caller } from '../src/domain/viewer.js';
import type { Deadlines } from '../src/http/deadlines.js';
import type { RequestFacts } from '../src/http/log.js';

/** Created for each request: its data loaders cache data of one viewer. */
export interface Context extends Omit<Deadlines, 'end'> {
  readonly viewer: Caller;
  /** By their classes. */
  readonly resolvers: ReadonlyMap<unknown, object>;
  /** Written to the log and the metrics. */
  readonly facts: RequestFacts;
  /** The request's Idempotency-Key, or null. */
  readonly requestKey: string | null;
  /** Cards by id, or by the id of a card that was merged into them; null if the viewer has none. */
  readonly cards: DataLoader<string, Card | null>;
  readonly indexStates: DataLoader<string, CardIndexState>;
}

/** State of a card without a ledger row: it was deleted after it was read. */
const NOT_INDEXED: CardIndexState = {
  state: 'PENDING',
  indexedRevision: null,
  indexedAt: null,
  perspectives: [],
  lastError: null,
};

export interface ContextParts extends Omit<Context, 'cards' | 'indexStates'> {
  readonly store: MergeableCards;
  readonly ledger: Pick<IndexLedger, 'states'>;
}

export function createContext({ store, ledger, ...request }: ContextParts): Context {
  const { viewer, signal } = request;
  return {
    ...request,
    cards: new DataLoader(async (ids) => {
      const found = await cardsByGivenIds(store, viewer, ids, signal);
      return ids.map((id) => found.get(id) ?? null);
    }),
    indexStates: new DataLoader(async (ids) => {
      const found = await ledger.states(viewer, ids, signal);
      return ids.map((id) => found.get(id) ?? NOT_INDEXED);
    }),
  };
}

/** What `make` returns, made once for each request. */
export function perRequest<T extends object>(make: (context: Context) => T): (context: Context) => T {
  const made = new WeakMap<Context, T>();
  return (context) => {
    const one = made.get(context) ?? make(context);
    made.set(context, one);
    return one;
  };
}

export interface EventSources {
  readonly tutor: Tutor;
  readonly jobs: Pick<ImportJobStore, 'job'>;
  readonly evaluations: Pick<EvaluationStore, 'job'>;
  readonly feed: SyncFeed;
  readonly control: Pick<IndexControl, 'status'>;
  /** Announces changes of the index, made by any gateway on the database. */
  readonly events: ChangeEvents;
}

/** Context in which a subscription is opened: it has no resolver before its events, and so no constructor arguments. */
export interface StreamContext extends Context {
  readonly sources: EventSources;
}
