import type { Closers } from '../src/domain/async.js';
import { type ChromaAccess, ChromaConnection } from './client.js';
import { ChromaCollections } from './collections.js';
import { ChromaInspector } from './inspector.js';
import { ChromaReader } from './reader.js';
import { ChromaWriter } from './writer.js';

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
  await servers.expectChroma(() => chroma.ping());
  return chroma;
}

export function createCollections(chroma: ChromaConnection, installation: string) {
  const collections = new ChromaCollections(chroma, installation);
  return {
    collections,
    reader: new ChromaReader(collections),
    writer: new ChromaWriter(collections),
    inspector: new ChromaInspector(collections),
  };
}

/** When closed, aborts the remaining calls after {@link HANGING_CALL_MS}. */
export function limitLastCalls(chroma: ChromaConnection, closers: Closers): void {
  closers.add('calls to Chroma', async () => void setTimeout(() => void chroma.close(), HANGING_CALL_MS).unref());
}
