import type { ImportStore } from '../../domain/ports/notebooks.js';

/** Cards a statement. */
const BATCH = 500;

/** Computes what doubles are found by for the cards of a database that is older than that; nothing is to do at later starts. */
export async function fingerprintQuestions(
  notebook: Pick<ImportStore, 'printMissing'>,
  signal: AbortSignal,
): Promise<void> {
  for (let printed = BATCH; printed === BATCH; ) {
    signal.throwIfAborted();
    printed = await notebook.printMissing(BATCH);
  }
}
