import { AdminClient } from 'chromadb';
import type { Agent } from 'undici';
import { asError, UnavailableError } from '../src/domain/errors.js';

/** Credentials and location on an external Chroma server; null: the server's default. */
export interface ChromaAccess {
  /** Sent as `x-chroma-token`. */
  readonly apiKey: string | null;
  readonly tenant: string | null;
  readonly database: string | null;
  /** Whether it is Chroma Cloud, with its quotas. */
  readonly cloud: boolean;
  /** {@link ServerLimits.perCollection}, if it is not the server's default. */
  readonly collectionRecords?: number | undefined;
}

/** What a Chroma server accepts. */
export interface ServerLimits {
  /** Records of a write, or read by their ids. */
  readonly records: number;
  /** Neighbours of a query, and records of a page. */
  readonly results: number;
  /** Reads, and as many writes, of one collection at a time. */
  readonly concurrent: number;
  /** Records of one collection; larger ones are sharded. */
  readonly perCollection: number;
}

/** A server of one's own: its batch limit of 5,461 is far above what a call is worth. */
const OWN_LIMITS: ServerLimits = {
  records: 500,
  results: 1_000,
  concurrent: Number.POSITIVE_INFINITY,
  perCollection: Number.POSITIVE_INFINITY,
};

/** Chroma Cloud's quotas (docs.trychroma.com/cloud/quotas-limits), which can be raised on request. */
const CLOUD_LIMITS: ServerLimits = { records: 300, results: 300, concurrent: 10, perCollection: 5_000_000 };

export function limitsOf({ cloud, collectionRecords }: ChromaAccess): ServerLimits {
  const limits = cloud ? CLOUD_LIMITS : OWN_LIMITS;
  return { ...limits, perCollection: collectionRecords ?? limits.perCollection };
}

/** How Chroma's clients reach a server, with the credential. */
export function serverAt(url: string, { apiKey }: ChromaAccess, dispatcher: Agent) {
  const { protocol, hostname, port } = new URL(url);
  const ssl = protocol === 'https:';
  // Node's fetch accepts a dispatcher, but its type does not have it.
  const fetchOptions: object = { dispatcher };
  return {
    host: hostname,
    port: Number(port || (ssl ? 443 : 80)),
    ssl,
    fetchOptions,
    ...(apiKey !== null && { headers: { 'x-chroma-token': apiKey } }),
  };
}

/**
 * UnavailableError if the server does not have the configured tenant and database. It counts the collections of unknown
 * ones as 0, and refuses the first that is created.
 */
export async function expectDatabase(
  server: ReturnType<typeof serverAt>,
  { tenant, database }: ChromaAccess,
): Promise<void> {
  if (tenant === null && database === null) return;
  const location = { tenant: tenant ?? 'default_tenant', name: database ?? 'default_database' };
  await new AdminClient(server).getDatabase(location).catch((thrown: unknown) => {
    const { name } = asError(thrown);
    // A key may have rights for collections alone.
    if (name === 'ChromaForbiddenError' || name === 'ChromaAuthError') return;
    if (name !== 'ChromaNotFoundError') throw thrown;
    const reason = `it has no database ${location.name} of a tenant ${location.tenant}`;
    throw new UnavailableError('chroma', `${reason} (CHROMA_TENANT, CHROMA_DATABASE)`, { cause: thrown });
  });
}
