import { ChromaClient, type Collection } from 'chromadb';
import { HNSW } from '../chroma/collections.js';
import { PERSPECTIVES } from '../src/domain/perspective.js';
import type { BenchGateway } from './gateway.js';

/** A client of the gateway's Chroma. */
export function chromaOf({ chromaUrl }: Pick<BenchGateway, 'chromaUrl'>): ChromaClient {
  return new ChromaClient({ host: '127.0.0.1', port: Number(new URL(chromaUrl).port) });
}

/** The newest collections of the gateway, by PERSPECTIVES. */
export async function collectionsOf(client: ChromaClient): Promise<readonly Collection[]> {
  const all = await client.listCollections({ limit: 1_000 });
  return PERSPECTIVES.map((perspective) => {
    const generationOf = ({ metadata }: Collection): number => Number(metadata?.generation);
    const own = all.filter(({ name }) => name.startsWith('errata-') && name.endsWith(`-${perspective}`));
    const [newest] = own.sort((a, b) => generationOf(b) - generationOf(a));
    if (newest === undefined) throw new Error(`no collection for ${perspective}`);
    return newest;
  });
}

/** Empty collections with the settings of the gateway's, by PERSPECTIVES. */
export function emptyCollections(client: ChromaClient, name: string): Promise<readonly Collection[]> {
  const create = (perspective: string): Promise<Collection> =>
    client.createCollection({
      name: `${name}-${perspective}`,
      configuration: { hnsw: HNSW },
      embeddingFunction: null,
    });
  return Promise.all(PERSPECTIVES.map(create));
}

/** Records of a call; Chroma allows 5,461. */
const BATCH = 250;

interface Records {
  readonly ids: string[];
  readonly embeddings: number[][];
  readonly metadatas: Record<string, string | number>[];
}

/** All records of a collection, in batches for one call each. */
export async function recordsOf(collection: Collection): Promise<readonly Records[]> {
  const batches: Records[] = [];
  for (let offset = 0; ; offset += BATCH) {
    const { ids, embeddings, metadatas } = await collection.get({
      limit: BATCH,
      offset,
      include: ['embeddings', 'metadatas'],
    });
    if (ids.length === 0) return batches;
    batches.push({ ids, embeddings, metadatas: metadatas as Records['metadatas'] });
  }
}
