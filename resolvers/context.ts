import DataLoader from 'dataloader';
import type { Card } from '../src/domain/card.js';
import type { CardStore } from '../src/domain/ports/cards.js';
import type { CardIndexState, IndexLedger } from '../src/domain/ports/ledger.js';
import type { Caller } from '../src/domain/viewer.js';
import type { RequestFacts } from '../src/http/log.js';

/** What a request's resolvers share. Made anew for each request: its loaders remember, and what one viewer sees is not another's. */
export interface Context {
  readonly viewer: Caller;
  /** Aborts when the request's time is over or its client has gone. */
  readonly signal: AbortSignal;
  /** Aborts earlier: when a search should have been answered. */
  readonly searchSignal: AbortSignal;
  /** What the log and the metrics say of the request. */
  readonly facts: RequestFacts;
  /** The request's Idempotency-Key; null where it has none. */
  readonly requestKey: string | null;
  /** Cards by id; null where the viewer has none with that id. */
  readonly cards: DataLoader<string, Card | null>;
  /** What the index knows of a card, by the card's id. */
  readonly indexStates: DataLoader<string, CardIndexState>;
}

/** What a card that the ledger does not know has in the index: nothing. It was deleted after it was read. */
const NOT_INDEXED: CardIndexState = {
  state: 'PENDING',
  indexedRevision: null,
  indexedAt: null,
  perspectives: [],
  lastError: null,
};

/** What a context is made of. */
export interface ContextParts {
  readonly viewer: Caller;
  readonly signal: AbortSignal;
  readonly searchSignal: AbortSignal;
  readonly facts: RequestFacts;
  readonly requestKey: string | null;
  readonly store: Pick<CardStore, 'byIds'>;
  readonly ledger: Pick<IndexLedger, 'states'>;
}

/** The context of one request, with loaders that have loaded nothing yet. */
export function createContext({ store, ledger, ...request }: ContextParts): Context {
  const { viewer, signal } = request;
  return {
    ...request,
    cards: new DataLoader(async (ids) => {
      const found = await store.byIds(viewer, ids, signal);
      return ids.map((id) => found.get(id) ?? null);
    }),
    indexStates: new DataLoader(async (ids) => {
      const found = await ledger.states(viewer, ids, signal);
      return ids.map((id) => found.get(id) ?? NOT_INDEXED);
    }),
  };
}
