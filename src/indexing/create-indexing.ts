import { abortable, type Closers } from '../domain/async.js';
import type { GiveWay } from '../domain/background.js';
import type { ChangeEvents, IndexChanges } from '../domain/ports/changes.js';
import type { VectorStore } from '../domain/ports/collections.js';
import type { IndexAudit, IndexLedger } from '../domain/ports/ledger.js';
import type { SnapshotStore, TenantIndex } from '../domain/ports/lexical.js';
import type { Log } from '../domain/ports/log.js';
import type { EmbedderSource } from '../domain/ports/models.js';
import type { Outbox } from '../domain/ports/outbox.js';
import type { TenantColumns, VectorCache, VectorSource } from '../domain/ports/vectors.js';
import { DEFAULT_VIEWER } from '../domain/viewer.js';
import { ChangeConsumer } from './change-consumer.js';
import { ChangeSignal } from './change-signal.js';
import { VectorFill } from './fill-vectors.js';
import { Generations } from './generations.js';
import { IndexService } from './index-service.js';
import { Indexer } from './indexer.js';
import { ModelChange } from './model-change.js';
import { ReconciliationLoop } from './reconciliation-loop.js';
import { SnapshotSaver } from './save-snapshots.js';
import { TenantIndexes } from './tenant-indexes.js';

export interface IndexingParts<Index extends TenantIndex> {
  readonly ledger: IndexLedger;
  readonly outbox: Outbox;
  readonly audit: IndexAudit;
  readonly changes: IndexChanges;
  readonly vectorStore: VectorStore;
  readonly cache: VectorCache & TenantColumns;
  readonly stored: VectorSource;
  /** The same, for work that nobody waits for. */
  readonly backgroundStored: VectorSource;
  readonly newIndex: () => Index;
  readonly snapshots: SnapshotStore;
  readonly embedders: EmbedderSource;
  readonly background: GiveWay;
  /** Whether this is the only gateway on the database. */
  readonly alone: boolean;
  /** Gateways that were killed while they used this data directory, as its lock names them. */
  readonly killed: readonly string[];
  readonly config: { readonly indexMemoryMb: number; readonly chromaAboveCards: number };
  readonly olderChroma?: () => Promise<string | null>;
  readonly metrics: { countEmbedded(texts: number): void };
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
}

export interface Indexing<Index extends TenantIndex> {
  readonly control: IndexService;
  readonly generations: Generations;
  readonly tenants: TenantIndexes<Index>;
  /** Started by the caller, which knows whether there is an index yet. */
  readonly indexer: Indexer;
  /** Announces changes of the index, made by any gateway on the database. */
  readonly events: ChangeEvents;
  /** Started after the indexer, which repairs what it finds. */
  readonly reconciliation: ReconciliationLoop;
  /** Started last: nobody waits for it. */
  readonly vectorFill: VectorFill;
  /** Loads the index of the default tenant and starts consuming the changes of other gateways. */
  start(closers: Closers, signal: AbortSignal): Promise<void>;
}

export function createIndexing<Index extends TenantIndex>(parts: IndexingParts<Index>): Indexing<Index> {
  const { outbox, snapshots: store, cache, backgroundStored, metrics, alone, killed, config, log } = parts;
  const events = new ChangeSignal(parts);
  const generations = new Generations({ ...parts, ...config });
  const saver = new SnapshotSaver({ open: () => tenants.open, store, log });
  const tenants = new TenantIndexes({
    ...parts,
    sharedCache: alone ? null : cache,
    columns: cache,
    store,
    release: (tenantId, index) => saver.release(tenantId, index),
    limitBytes: config.indexMemoryMb * 2 ** 20,
  });
  const indexer = new Indexer({ ...parts, lexical: tenants, events, generations, onEmbedded: metrics.countEmbedded });
  const reconciliation = new ReconciliationLoop({ ...parts, generations, random: Math.random });
  const vectorFill = new VectorFill({ ...parts, stored: backgroundStored, tenants, generations });
  const consumer = new ChangeConsumer({ ...parts, tenants, events });
  const modelChange = new ModelChange({ generations, log });
  return {
    control: new IndexService({ ...parts, generations, indexer, reconciliation }),
    generations,
    tenants,
    indexer,
    events,
    reconciliation,
    vectorFill,
    async start(closers, signal) {
      // In an embedded database, every claim is that of a killed gateway.
      await outbox.releaseOf(alone ? 'everyone' : killed);
      // However many tenants there are, a start asks Chroma for one: others are looked at by reconciliation, or when a
      // call fails. A hanging Chroma must not delay the end of a start that is given up.
      await abortable(generations.verify({ tenantId: DEFAULT_VIEWER.tenantId, signal }), signal);
      closers.add('model change', () => modelChange.close());
      await abortable(modelChange.start(DEFAULT_VIEWER.tenantId), signal);
      await consumer.begin();
      closers.add('index snapshots', () => saver.close());
      closers.add('tenant indexes', () => tenants.close());
      // A gateway of one tenant answers at once; others are loaded when they are asked.
      await tenants.load(DEFAULT_VIEWER.tenantId, signal);
      saver.start();
      closers.add('change signal', () => events.close());
      events.start();
      closers.add('change consumer', () => consumer.close());
      consumer.start();
      closers.add('indexer', () => indexer.close());
      closers.add('reconciliation', () => reconciliation.close());
      closers.add('vector fill', () => vectorFill.close());
    },
  };
}
