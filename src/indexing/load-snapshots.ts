import { setImmediate } from 'node:timers/promises';
import { inTurns } from '../domain/async.js';
import { asError } from '../domain/errors.js';
import type { CardVersion, IndexLedger } from '../domain/ports/ledger.js';
import type { LexicalSnapshots, LexicalWriter, SnapshotStore } from '../domain/ports/lexical.js';

/** Cards a statement: read in some 15 ms, while the words of those before are being looked at. */
const PAGE = 500;

/** What loading reads and fills. */
export interface LoadSnapshotsParts {
  readonly ledger: Pick<IndexLedger, 'cards' | 'generations' | 'versions'>;
  readonly lexical: LexicalWriter & Pick<LexicalSnapshots, 'restore' | 'lacking'>;
  readonly store: Pick<SnapshotStore, 'read'>;
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
  readonly signal: AbortSignal;
}

/**
 * Fills the lexical indexes with the cards as PostgreSQL has them; before the indexer starts, so that none is set back. Cards
 * that a kept copy has in the very version that PostgreSQL has are taken from there, all others are read. What changed while
 * no gateway ran is ahead of the vectors for the moment that the indexer needs.
 */
export async function loadSnapshots(parts: LoadSnapshotsParts): Promise<void> {
  const { ledger, lexical, store, log, signal } = parts;
  const tenants = new Set((await ledger.generations()).map(({ tenantId }) => tenantId));
  for (const tenantId of tenants) {
    const started = performance.now();
    const [versions, copy] = await Promise.all([ledger.versions(tenantId), store.read(tenantId)]);
    signal.throwIfAborted();
    if (copy !== null) await restore(parts, tenantId, copy, versions);
    const lacking = [...lexical.lacking(tenantId, versions)].sort();
    await readWords(parts, tenantId, lacking);
    const facts = {
      tenantId,
      cards: versions.size,
      read: lacking.length,
      tookMs: Math.round(performance.now() - started),
    };
    log.info(facts, 'the words of the cards are loaded');
  }
}

async function restore(
  { lexical, log, signal }: LoadSnapshotsParts,
  tenantId: string,
  copy: Parameters<LexicalSnapshots['restore']>[1],
  versions: ReadonlyMap<string, CardVersion>,
): Promise<void> {
  try {
    for (const _ of lexical.restore(tenantId, copy, versions)) {
      await setImmediate();
      signal.throwIfAborted();
    }
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    log.warn({ tenantId, err: asError(thrown) }, 'the copy of the words makes no sense: they are made anew');
  }
}

/** Reads the cards as they are now and sets their words, a few at a time; those that are deleted are passed over. */
export async function readWords(
  {
    ledger,
    lexical,
    signal,
  }: Pick<LoadSnapshotsParts, 'signal'> & {
    readonly ledger: Pick<IndexLedger, 'cards'>;
    readonly lexical: Pick<LexicalWriter, 'set'>;
  },
  tenantId: string,
  cardIds: readonly string[],
): Promise<void> {
  const pages = Array.from({ length: Math.ceil(cardIds.length / PAGE) }, (_, page) =>
    cardIds.slice(page * PAGE, (page + 1) * PAGE),
  );
  const readPage = async (page: number) => ledger.cards(tenantId, pages[page] ?? []);
  let next = pages.length > 0 ? readPage(0) : null;
  for (let page = 1; next !== null; page += 1) {
    const cards = [...(await next).values()];
    signal.throwIfAborted();
    next = page < pages.length ? readPage(page) : null;
    // A read that fails while these cards are worked on is thrown by the await above, not as an unhandled rejection.
    next?.catch(() => undefined);
    await inTurns(cards, (card) => {
      signal.throwIfAborted();
      lexical.set(tenantId, [card]);
    });
  }
}
