import type { CollectionsClaim } from '../../chroma/claim.js';
import { within } from '../domain/async.js';
import { asError } from '../domain/errors.js';
import type { IndexLedger } from '../domain/ports/ledger.js';
import { DEFAULT_VIEWER } from '../domain/viewer.js';
import type { Readiness } from '../http/server.js';

const DATABASE_DEADLINE_MS = 1_000;

/**
 * Chroma's is shorter: a probe that gives up after 1 s, the default of Kubernetes, must get the answer that the gateway
 * is ready.
 */
const CHROMA_DEADLINE_MS = 500;

export interface ReadinessParts {
  readonly ledger: Pick<IndexLedger, 'live'>;
  readonly database: { isReadOnly(): Promise<boolean> };
  readonly chroma: { ping(): Promise<void> };
  readonly claim: Pick<CollectionsClaim, 'check'>;
  readonly servers: { readonly states: () => Readonly<Record<string, string>> };
}

/**
 * Ready if PostgreSQL answers and the index is live. Without Chroma searches are degraded but work, and on a read-only
 * PostgreSQL they work while changes are refused; the detail names both.
 */
export function readinessOf({ ledger, database, chroma, claim, servers }: ReadinessParts): () => Promise<Readiness> {
  const stateOfDatabase = async (): Promise<{ readonly ready: boolean; readonly says: string }> => {
    const [generation, isReadOnly] = await Promise.all([ledger.live(DEFAULT_VIEWER.tenantId), database.isReadOnly()]);
    if (generation === null) return { ready: false, says: 'the index is being built' };
    return { ready: true, says: isReadOnly ? 'degraded: the server is read-only' : 'ok' };
  };
  return async () => {
    const [live, chromaSays] = await Promise.all([
      within(deadline(DATABASE_DEADLINE_MS), stateOfDatabase).catch((thrown: unknown) => ({
        ready: false,
        says: asError(thrown).message,
      })),
      within(deadline(CHROMA_DEADLINE_MS), () => Promise.all([claim.check('read'), chroma.ping()])).then(
        () => 'ok',
        (thrown: unknown) => `degraded: ${asError(thrown).message}`,
      ),
    ]);
    const embedded = Object.entries(servers.states()).map(([name, state]) => [`embedded ${name}`, state]);
    return { ready: live.ready, detail: { ...Object.fromEntries(embedded), database: live.says, chroma: chromaSays } };
  };
}

function deadline(ms: number) {
  return { ms, late: () => new Error(`no answer within ${ms} ms`) };
}
