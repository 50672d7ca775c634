import type { ChromaConnection } from '../../chroma/client.js';
import { asError } from '../domain/errors.js';
import type { Indexer } from '../indexing/indexer.js';
import type { ReconciliationLoop } from '../indexing/reconciliation-loop.js';
import type { Servers } from './servers.js';

export interface WatchChromaParts {
  readonly servers: Pick<Servers, 'onChromaRestart' | 'restartChroma'>;
  readonly chroma: ChromaConnection;
  readonly indexer: Pick<Indexer, 'resume'>;
  readonly reconciliation: Pick<ReconciliationLoop, 'look'>;
  readonly log: { error(facts: object, message: string): void };
}

/** Resumes indexing when Chroma is back, has the index compared when data may be lost, and restarts a Chroma that is stuck. */
export function watchChroma({ servers, chroma, indexer, reconciliation, log }: WatchChromaParts): void {
  const onBack = (): void => {
    indexer.resume();
    reconciliation.look();
  };
  servers.onChromaRestart(() => {
    chroma.cameBack();
    onBack();
  });
  chroma.onRecovery(onBack);
  chroma.onLoss(reconciliation.look);
  chroma.onStuck(() => {
    servers
      .restartChroma()
      .catch((thrown: unknown) => log.error({ err: asError(thrown) }, 'Chroma could not be stopped'));
  });
}
