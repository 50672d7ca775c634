import type { ImportStore } from '../../domain/ports/imports.js';
import type { Log } from '../../domain/ports/log.js';

/** Cards in one transaction. */
const PAGE = 500;

export interface FingerprintsParts {
  readonly imports: Pick<ImportStore, 'withoutFingerprints' | 'fingerprintMissing'>;
  readonly log: Pick<Log, 'info'>;
  readonly signal: AbortSignal;
}

/**
 * Computes the fingerprints of the cards that have none, as those that an earlier version stored. Before anything is
 * imported or created: a question without fingerprints is not recognised, and would be stored twice.
 */
export async function fillFingerprints({ imports, log, signal }: FingerprintsParts): Promise<void> {
  const cards = await imports.withoutFingerprints();
  if (cards === 0) return;
  log.info({ cards }, 'computing the fingerprints of questions');
  const started = performance.now();
  let filled = 0;
  let page: number;
  do {
    signal.throwIfAborted();
    page = await imports.fingerprintMissing(PAGE);
    filled += page;
  } while (page > 0);
  log.info({ cards: filled, tookMs: Math.round(performance.now() - started) }, 'fingerprints of questions computed');
}
