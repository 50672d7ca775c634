import { abortable } from '../domain/async.js';
import { asError } from '../domain/errors.js';
import type { IndexLedger } from '../domain/ports/ledger.js';
import { DEFAULT_VIEWER } from '../domain/viewer.js';
import type { Readiness } from '../http/server.js';

/** How long PostgreSQL may take before the gateway says that it cannot answer. */
const DATABASE_DEADLINE_MS = 1_000;

/** Whom readiness asks. */
export interface ReadinessParts {
  readonly ledger: Pick<IndexLedger, 'live'>;
  readonly chroma: { ping(): Promise<void> };
  /** What each embedded server is doing. */
  readonly servers: { readonly states: () => Readonly<Record<string, string>> };
}

/**
 * Whether requests can be answered: PostgreSQL must be there and the index live. Without Chroma searches are degraded, and
 * say so, but they answer; the detail names it.
 */
export function readinessOf({ ledger, chroma, servers }: ReadinessParts): () => Promise<Readiness> {
  return async () => {
    const [live, chromaSays] = await Promise.all([
      abortable(ledger.live(DEFAULT_VIEWER.tenantId), AbortSignal.timeout(DATABASE_DEADLINE_MS)).then(
        (generation) => ({ ready: generation !== null, says: generation === null ? 'the index is being built' : 'ok' }),
        (thrown: unknown) => ({ ready: false, says: asError(thrown).message }),
      ),
      chroma.ping().then(
        () => 'ok',
        (thrown: unknown) => `degraded: ${asError(thrown).message}`,
      ),
    ]);
    const embedded = Object.entries(servers.states()).map(([name, state]) => [`embedded ${name}`, state]);
    return { ready: live.ready, detail: { ...Object.fromEntries(embedded), database: live.says, chroma: chromaSays } };
  };
}
