import type { Closers } from '../src/domain/async.js';
import type { ChromaAccess } from './address.js';
import { ChromaConnection } from './client.js';
import { type CallGuard, ChromaCollections } from './collections.js';
import { ChromaVectors } from './vectors.js';

/**
 * Deadline of running calls when the gateway stops. If Chroma hangs, they would take longer than the whole stop may;
 * the cards of an aborted batch are released.
 */
const HANGING_CALL_MS = 5_000;

/** Connects, and waits until the server answers. */
export async function connectChroma(
  servers: { readonly chromaUrl: () => string; expectChroma(ping: () => Promise<void>): Promise<void> },
  access: ChromaAccess,
  closers: Closers,
): Promise<ChromaConnection> {
  const chroma = new ChromaConnection(servers.chromaUrl, access);
  closers.add('Chroma client', () => chroma.close());
  await servers.expectChroma(() => chroma.open());
  return chroma;
}

export function createChromaVectors(chroma: ChromaConnection, installation: string, guard?: CallGuard): ChromaVectors {
  return new ChromaVectors(new ChromaCollections(chroma, installation, guard));
}

/** When closed, aborts the remaining calls after {@link HANGING_CALL_MS}. */
export function limitLastCalls(chroma: ChromaConnection, closers: Closers): void {
  closers.add('calls to Chroma', async () => void setTimeout(() => void chroma.close(), HANGING_CALL_MS).unref());
}
