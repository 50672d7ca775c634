import { delay } from '../domain/async.js';
import { UnavailableError } from '../domain/errors.js';
import { PERSPECTIVES } from '../domain/perspective.js';
import type { VectorStore } from '../domain/ports/collections.js';
import type { IndexControl, IndexStatus } from '../domain/ports/gateway.js';
import type { IndexLedger } from '../domain/ports/ledger.js';
import { type EmbedderSource, modelKey } from '../domain/ports/models.js';
import { type Viewer, visibleOwner } from '../domain/viewer.js';
import type { Generations } from './generations.js';
import type { Indexer } from './indexer.js';
import type { ReconciliationLoop } from './reconciliation-loop.js';

/** Another gateway may index the card: without a batch of this one, the ledger is polled at this interval. */
const ASK_AGAIN_MS = 200;

export interface IndexServiceParts {
  readonly ledger: IndexLedger;
  readonly vectorStore: Pick<VectorStore, 'count'>;
  readonly generations: Generations;
  readonly embedders: Pick<EmbedderSource, 'current'>;
  readonly indexer: Pick<Indexer, 'onBatch' | 'hurry'>;
  readonly reconciliation: Pick<ReconciliationLoop, 'last'>;
}

export class IndexService implements IndexControl {
  constructor(private readonly parts: IndexServiceParts) {}

  async waitFor(viewer: Viewer, cardId: string, revision: number | null, deadlineMs: number): Promise<void> {
    const deadline = AbortSignal.timeout(deadlineMs);
    while (!deadline.aborted) {
      // Listen before reading the ledger, so that a batch that ends in between is not missed.
      const batch = new AbortController();
      const forget = this.parts.indexer.onBatch(() => batch.abort());
      try {
        if (await this.#has(viewer, cardId, revision)) return;
        this.parts.indexer.hurry();
        await delay(ASK_AGAIN_MS, batch.signal, deadline);
      } finally {
        forget();
      }
    }
  }

  async status(viewer: Viewer): Promise<IndexStatus> {
    const { tenantId } = viewer;
    const [counts, ours] = await Promise.all([
      this.parts.ledger.counts(viewer),
      this.parts.ledger.generations({ tenantId }),
    ]);
    const live = ours.find(({ state }) => state === 'live');
    const building = ours.find(({ state }) => state === 'building');
    // A student must not see the amount of other owners' data.
    const seesAll = visibleOwner(viewer) === undefined;
    const keys =
      live === undefined || !seesAll
        ? []
        : PERSPECTIVES.map((perspective) => ({ tenantId, generation: live.number, perspective }));
    const progress =
      building === undefined || !seesAll ? null : await this.parts.ledger.progress(tenantId, building.number);
    return {
      ...counts,
      next: building === undefined || progress === null ? null : { model: building.modelKey, ...progress },
      model: (live ?? building)?.modelKey ?? modelKey(this.parts.embedders.current.model),
      building: building !== undefined,
      reconciliation: seesAll ? this.parts.reconciliation.last(tenantId) : null,
      collections: () =>
        Promise.all(
          keys.map(async (key) => {
            const records = await this.parts.vectorStore.count(key).catch(notWhileAway);
            return { perspective: key.perspective, records };
          }),
        ),
    };
  }

  async rebuild(viewer: Viewer): Promise<void> {
    await this.parts.generations.begin(viewer.tenantId);
  }

  /**
   * By the state of the card, which the client reads next: a card that is claimed while the tenant's first
   * generation begins is marked again, and is still pending when that generation is live.
   */
  async #has(viewer: Viewer, cardId: string, revision: number | null): Promise<boolean> {
    const { ledger } = this.parts;
    if (revision !== null) {
      const card = (await ledger.states(viewer, [cardId])).get(cardId);
      return card !== undefined && (card.state === 'INDEXED' || (card.indexedRevision ?? 0) > revision);
    }
    const live = await ledger.live(viewer.tenantId);
    return live === null || !(await ledger.indexed(viewer.tenantId, live.number, [cardId])).has(cardId);
  }
}

/** The status must also work while Chroma is unavailable: its counts are null then. */
function notWhileAway(error: unknown): null {
  if (error instanceof UnavailableError) return null;
  throw error;
}
