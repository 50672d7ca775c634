import { asError, UnavailableError } from '../domain/errors.js';
import type { Log } from '../domain/ports/log.js';
import type { DirtyCard, Outbox } from '../domain/ports/outbox.js';

/** Lease of a claim, after which its gateway counts as dead. A longer one would delay the cards of a dead gateway. */
export const LEASE_MS = 30_000;

/**
 * A batch takes about a second, but minutes with a semantic model on a slow machine: if its leases ended before, this
 * gateway would claim the cards again, and other gateways would embed them too.
 */
const PROLONG_EVERY_MS = LEASE_MS / 3;

/** Claimed cards that are being indexed. */
export interface Batch {
  readonly cards: ReadonlySet<string>;
  readonly tenants: readonly string[];
  /** Resolves when Chroma has its records, at the latest at its end: then the next one may be written. */
  readonly written: Promise<void>;
  /** Rejects if a part is unavailable or the index is lost, after the remaining claims were released. */
  readonly ended: Promise<void>;
}

export const NOTHING: Batch = { cards: new Set(), tenants: [], written: Promise.resolve(), ended: Promise.resolve() };

/**
 * Runs a batch, which removes from `open` what is indexed and calls `onWritten` when Chroma has its records. Prolongs
 * the leases of the rest until it has ended.
 */
export function beginBatch(
  { outbox, log }: { readonly outbox: Pick<Outbox, 'prolong'>; readonly log: Pick<Log, 'error'> },
  claims: readonly DirtyCard[],
  run: (open: Set<DirtyCard>, onWritten: () => void) => Promise<void>,
): Batch {
  const open = new Set(claims);
  const prolong = (): void => {
    outbox.prolong([...open], LEASE_MS).catch((err: unknown) => {
      // The batch itself reports an unavailable database.
      if (!(err instanceof UnavailableError)) log.error({ err }, 'the claims of a batch could not be prolonged');
    });
  };
  const prolonging = setInterval(prolong, PROLONG_EVERY_MS).unref();
  let onWritten = (): void => undefined;
  const written = new Promise<void>((resolve) => {
    onWritten = resolve;
  });
  const ended = run(open, onWritten).finally(() => {
    clearInterval(prolonging);
    onWritten();
  });
  ended.catch(() => undefined); // The loop gets the error, but perhaps not immediately.
  return { cards: new Set(claims.map(nameOf)), tenants: claims.map(({ tenantId }) => tenantId), written, ended };
}

/** Waits for the end of a batch; returns its error, if any. */
export function failuresOf({ ended }: Batch): Promise<readonly Error[]> {
  return ended.then(
    () => [],
    (thrown: unknown) => [asError(thrown)],
  );
}

export function nameOf({ tenantId, cardId }: DirtyCard): string {
  return JSON.stringify([tenantId, cardId]);
}
