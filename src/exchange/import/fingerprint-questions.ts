import type { ImportStore } from '../../domain/ports/imports.js';

/** Cards a statement. */
const BATCH = 500;

/** Computes the fingerprints of cards that were stored by a version without them. */
export async function fingerprintQuestions(
  imports: Pick<ImportStore, 'fingerprintMissing'>,
  signal: AbortSignal,
): Promise<void> {
  for (let computed = BATCH; computed === BATCH; ) {
    signal.throwIfAborted();
    computed = await imports.fingerprintMissing(BATCH);
  }
}
