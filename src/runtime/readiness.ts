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
  readonly chroma: { ping(): Promise<void> };
  readonly claim: Pick<CollectionsClaim, 'check'>;
  readonly servers: { readonly states: () => Readonly<Record<string, string>> };
}

/**
 * Ready if PostgreSQL answers and the index is live. Without Chroma searches are degraded but work; the detail names
 * it.
 */
export function readinessOf({ ledger, chroma, claim, servers }: ReadinessParts): () => Promise<Readiness> {
  return async () => {
    const [live, chromaSays] = await Promise.all([
      within(deadline(DATABASE_DEADLINE_MS), () => ledger.live(DEFAULT_VIEWER.tenantId)).then(
        (generation) => ({ ready: generation !== null, says: generation === null ? 'the index is being built' : 'ok' }),
        (thrown: unknown) => ({ ready: false, says: asError(thrown).message }),
      ),
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
