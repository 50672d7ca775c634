import { RefusedRequest } from '../../src/http/errors.js';

/** Persisted operations; see {@link onlyListed}. */
export interface OperationList {
  find(asked: { readonly query: unknown; readonly sha256: unknown }): string | null;
}

/**
 * The body of a request whose operation is listed, with its document, whether it came as that or as its hash
 * (`extensions.persistedQuery.sha256Hash`). RefusedRequest (PERSISTED_QUERY_NOT_FOUND) for any other: not even the
 * names of the schema can be found out by trying.
 */
export function onlyListed(body: unknown, operations: OperationList): object {
  const { query, extensions, ...rest } = (body ?? {}) as {
    readonly query?: unknown;
    readonly extensions?: { readonly persistedQuery?: { readonly sha256Hash?: unknown } | null } | null;
  };
  const document = operations.find({ query, sha256: extensions?.persistedQuery?.sha256Hash });
  if (document === null) {
    throw new RefusedRequest(
      400,
      'PERSISTED_QUERY_NOT_FOUND',
      'the operation is not among those that are answered here',
    );
  }
  return { ...rest, query: document };
}
