import type { Closers } from '../src/domain/async.js';
import { type ChromaAccess, ChromaConnection } from './client.js';
import { ChromaCollections } from './collections.js';
import { ChromaInspector } from './inspector.js';
import { ChromaReader } from './recall.js';
import { ChromaWriter } from './writer.js';

/**
 * How long the last calls may take when the gateway stops. Where Chroma hangs they would go on for minutes, longer than the
 * whole stop may take; cut off, the cards of a batch are given back.
 */
const HANGING_CALL_MS = 5_000;

/** The server of `chromaUrl`, once `expectChroma` has found that it answers. */
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

/** The collections of one installation, and what reads, writes and inspects their records. */
export function createCollections(chroma: ChromaConnection, installation: string) {
  const collections = new ChromaCollections(chroma, installation);
  return {
    collections,
    reader: new ChromaReader(collections),
    writer: new ChromaWriter(collections),
    inspector: new ChromaInspector(collections),
  };
}

/** Cuts off the calls that are still under way {@link HANGING_CALL_MS} after this was closed. */
export function limitLastCalls(chroma: ChromaConnection, closers: Closers): void {
  closers.add('calls to Chroma', async () => void setTimeout(() => void chroma.close(), HANGING_CALL_MS).unref());
}
