import { setImmediate } from 'node:timers/promises';
import type { IndexLedger, LexicalWriter } from '../ports.js';

/** Cards a statement: read in some 20 ms, while the words of the page before are being looked at. */
const PAGE = 500;

/** About 2 ms of work, after which whoever else waits for the thread has a turn. */
const CARDS_PER_TURN = 10;

/** What loading reads and fills. */
export interface LoadWordsParts {
  readonly ledger: Pick<IndexLedger, 'cardsAfter' | 'generations'>;
  readonly lexical: LexicalWriter;
  readonly log: { info(facts: object, message: string): void };
  readonly signal: AbortSignal;
}

/**
 * Fills the lexical indexes with the cards as PostgreSQL has them; before the indexer starts, so that none is set back. What
 * changed while no gateway ran is ahead of the vectors for the moment that the indexer needs.
 */
export async function loadWords({ ledger, lexical, log, signal }: LoadWordsParts): Promise<void> {
  const tenants = new Set((await ledger.generations()).map(({ tenantId }) => tenantId));
  for (const tenantId of tenants) {
    const started = performance.now();
    let cards = 0;
    let next = ledger.cardsAfter(tenantId, null, PAGE);
    for (;;) {
      const page = await next;
      signal.throwIfAborted();
      const last = page.at(-1);
      if (last === undefined) break;
      next = ledger.cardsAfter(tenantId, last.id, PAGE);
      // A read that fails while this page is worked on is thrown by the await above, not as an unhandled rejection.
      next.catch(() => undefined);
      for (let at = 0; at < page.length; at += CARDS_PER_TURN) {
        lexical.set(tenantId, page.slice(at, at + CARDS_PER_TURN));
        await setImmediate();
      }
      cards += page.length;
    }
    log.info({ tenantId, cards, tookMs: Math.round(performance.now() - started) }, 'the words of the cards are loaded');
  }
}
