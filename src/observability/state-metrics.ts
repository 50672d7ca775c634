import { Gauge, type Registry } from 'prom-client';
import { within } from '../domain/async.js';
import { UnavailableError } from '../domain/errors.js';
import type { Generation } from '../domain/ports/ledger.js';
import type { Backlog } from '../domain/ports/outbox.js';

export interface StateSources {
  readonly outbox: { backlog(): Promise<Backlog> };
  readonly ledger: { generations(): Promise<readonly Generation[]> };
  /** `paused` while it waits for an unavailable part. */
  readonly indexer: { readonly paused: boolean };
  /** State of each child process, by name. */
  readonly servers: { states(): Readonly<Record<string, string>> };
  readonly claim: { readonly isHeld: boolean };
}

/**
 * PostgreSQL that does not answer within this counts as down. Shorter than 10 s, the default of Prometheus for a
 * scrape: statements wait up to 35 s for a server that hangs, and no scrape would report it.
 */
const DATABASE_DEADLINE_MS = 5_000;

const GENERATION_STATES: readonly Generation['state'][] = ['building', 'live', 'retired'];

/** Adds gauges of the gateway's state. The returned function updates them; call it before each scrape. */
export function showState(registry: Registry, sources: StateSources): () => Promise<void> {
  const gauge = (name: string, help: string, labelNames: readonly string[] = []): Gauge =>
    new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
  const database = gauge(
    'errata_database_up',
    '1 if PostgreSQL answers, otherwise 0; then the figures of the outbox and the index are NaN or missing.',
  );
  const waiting = gauge('errata_outbox_waiting', 'Changed cards that the index does not have yet.');
  const failed = gauge(
    'errata_outbox_failed',
    'Cards that could not be indexed; they are tried again once an hour, and when they change.',
  );
  const lag = gauge('errata_outbox_lag_seconds', 'How long the change that waits longest has been due.');
  const generations = gauge('errata_index_generations', 'Versions of the index, by state, of all tenants.', ['state']);
  const paused = gauge(
    'errata_indexer_paused',
    '1 while indexing is paused because Chroma or the model is unavailable, or the disk of DATA_DIR is full.',
  );
  const claim = gauge(
    'errata_chroma_claim_held',
    '0 while a gateway on a copy of the database uses the same collections in Chroma, otherwise 1.',
  );
  const children = gauge('errata_child_up', '1 if a server that the gateway started is ready, otherwise 0.', ['child']);
  return async () => {
    paused.set(sources.indexer.paused ? 1 : 0);
    claim.set(sources.claim.isHeld ? 1 : 0);
    for (const [child, state] of Object.entries(sources.servers.states()))
      children.set({ child }, state === 'ready' ? 1 : 0);
    for (const one of [waiting, failed, lag, generations]) one.reset();
    try {
      const [backlog, known] = await within({ ms: DATABASE_DEADLINE_MS, late: noAnswer }, () =>
        Promise.all([sources.outbox.backlog(), sources.ledger.generations()]),
      );
      waiting.set(backlog.waiting);
      failed.set(backlog.failed);
      lag.set(backlog.lagMs / 1_000);
      for (const state of GENERATION_STATES) {
        generations.set({ state }, known.filter((one) => one.state === state).length);
      }
      database.set(1);
    } catch (thrown) {
      if (!(thrown instanceof UnavailableError)) throw thrown;
      for (const one of [waiting, failed, lag]) one.set(Number.NaN);
      database.set(0);
    }
  };
}

function noAnswer(): UnavailableError {
  return new UnavailableError('database', `no answer within ${DATABASE_DEADLINE_MS} ms`);
}
