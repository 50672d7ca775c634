/**
 * What the tests of models share: a folder of tiny models, an inference process that ends with the test, vectors
 * compared.
 */
import { BatchedEmbedder, type BatchedParts } from '../../src/models/batched-embedder.js';
import { EmbeddingCache } from '../../src/models/embedding-cache.js';
import { Inference } from '../../src/models/inference/inference.js';
import type { LocalModel } from '../../src/models/inference/protocol.js';
import { LocalBackend } from '../../src/models/local-backend.js';
import { cleanups } from './cleanups.js';
import { folderOfFile } from './folder.js';

/** What was logged, and a log that keeps it. */
export interface TestLog {
  readonly lines: { readonly facts: Record<string, unknown>; readonly message: string }[];
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

export function testLog(): TestLog {
  const lines: TestLog['lines'] = [];
  const keep = (facts: object, message: string): void => void lines.push({ facts: { ...facts }, message });
  return { lines, debug: () => undefined, info: keep, warn: keep };
}

/** A folder for the file's tests, removed after the last. */
export async function modelFolder(): Promise<string> {
  return (await folderOfFile('models')).path;
}

/** Things that are closed after each test. */
export function closing(): <T extends { close(): Promise<void> }>(thing: T) => T {
  const atEnd = cleanups();
  return (thing) => {
    atEnd(() => thing.close());
    return thing;
  };
}

export function localModel(folder: string, repository: string, given: Partial<LocalModel> = {}): LocalModel {
  return { folder, repository, dtype: 'fp32', maxTokens: 512, pooling: 'mean', ...given };
}

/** An inference process that takes 2 s for hung. */
export function newInference(log = testLog()): Inference {
  return new Inference(log, 2_000);
}

/** An embedder over a tiny model, with a cache of its own in `folder`. */
export function tinyEmbedder(
  inference: Inference,
  model: LocalModel,
  given: Partial<BatchedParts> & { readonly cacheFolder: string; readonly dims?: number },
): BatchedEmbedder & { readonly cache: EmbeddingCache } {
  const cache = new EmbeddingCache(given.cacheFolder);
  cache.open();
  const embedder = new BatchedEmbedder({
    model: { name: model.repository, dims: given.dims ?? 16, dtype: model.dtype, version: 1 },
    maxChars: 500,
    lowestCosine: null,
    prefixOf: () => '',
    backend: new LocalBackend(inference, model),
    cache,
    ...given,
  });
  const close = async (): Promise<void> => {
    await cache.close();
  };
  return Object.assign(embedder, { cache, close });
}

export function dot(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (a === undefined || b === undefined) throw new Error('a vector is missing');
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? Number.NaN), 0);
}

export const never = new AbortController().signal;
