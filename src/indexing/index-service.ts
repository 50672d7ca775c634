import { delay } from '../domain/async.js';
import { UnavailableError } from '../domain/errors.js';
import { PERSPECTIVES } from '../domain/perspective.js';
import type { Collections } from '../domain/ports/collections.js';
import type { IndexControl, IndexStatus } from '../domain/ports/gateway.js';
import type { IndexLedger } from '../domain/ports/ledger.js';
import { type Viewer, visibleOwner } from '../domain/viewer.js';
import type { Generations } from './generations.js';
import type { Indexer } from './indexer.js';
import type { ReconciliationLoop } from './reconciliation-loop.js';

/** Another gateway may index the card: without a batch of our own, the ledger is asked again this often. */
const ASK_AGAIN_MS = 200;

/** What the API may ask of the write path. */
export class IndexService implements IndexControl {
  readonly #ledger: IndexLedger;
  readonly #collections: Pick<Collections, 'count'>;
  readonly #generations: Generations;
  readonly #indexer: Pick<Indexer, 'onBatch'>;
  readonly #healer: Pick<ReconciliationLoop, 'last'>;

  constructor(parts: {
    readonly ledger: IndexLedger;
    readonly collections: Pick<Collections, 'count'>;
    readonly generations: Generations;
    readonly indexer: Pick<Indexer, 'onBatch'>;
    readonly healer: Pick<ReconciliationLoop, 'last'>;
  }) {
    this.#ledger = parts.ledger;
    this.#collections = parts.collections;
    this.#generations = parts.generations;
    this.#indexer = parts.indexer;
    this.#healer = parts.healer;
  }

  async waitFor(tenantId: string, cardId: string, revision: number | null, deadlineMs: number): Promise<void> {
    const deadline = AbortSignal.timeout(deadlineMs);
    while (!deadline.aborted) {
      // Listened to before the ledger is asked: a batch that ends between the two is not missed.
      const batch = new AbortController();
      const forget = this.#indexer.onBatch(() => batch.abort());
      try {
        if (await this.#has(tenantId, cardId, revision)) return;
        await delay(ASK_AGAIN_MS, AbortSignal.any([batch.signal, deadline]));
      } finally {
        forget();
      }
    }
  }

  async status(viewer: Viewer): Promise<IndexStatus> {
    const { tenantId } = viewer;
    const [counts, generations] = await Promise.all([this.#ledger.counts(viewer), this.#ledger.generations()]);
    const ours = generations.filter((generation) => generation.tenantId === tenantId);
    const live = ours.find(({ state }) => state === 'live');
    const building = ours.find(({ state }) => state === 'building');
    // How much there is of others' is not for a student to know.
    const seesAll = visibleOwner(viewer) === undefined;
    const collections =
      live === undefined || !seesAll
        ? []
        : PERSPECTIVES.map(async (perspective) => {
            const key = { tenantId, generation: live.number, perspective };
            return { perspective, records: await this.#collections.count(key).catch(notWhileAway) };
          });
    const progress = building === undefined || !seesAll ? null : await this.#ledger.progress(tenantId, building.number);
    return {
      ...counts,
      next: building === undefined || progress === null ? null : { model: building.modelKey, ...progress },
      model: (live ?? building)?.modelKey ?? null,
      building: building !== undefined,
      reconciliation: seesAll ? this.#healer.last(tenantId) : null,
      collections: await Promise.all(collections),
    };
  }

  async rebuild(viewer: Viewer): Promise<void> {
    await this.#generations.begin(viewer.tenantId);
  }

  async #has(tenantId: string, cardId: string, revision: number | null): Promise<boolean> {
    const live = await this.#ledger.live(tenantId);
    if (live === null) return revision === null;
    const indexed = (await this.#ledger.indexed(tenantId, live.number, [cardId])).get(cardId);
    return revision === null ? indexed === undefined : indexed !== undefined && indexed.revision >= revision;
  }
}

/** The status is asked for when something is wrong: the rest of it is told without what Chroma would say. */
function notWhileAway(error: unknown): null {
  if (error instanceof UnavailableError) return null;
  throw error;
}
