import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { ChromaConnection } from '../../../chroma/client.js';
import { ChromaCollections } from '../../../chroma/collections.js';
import { SentVectors } from '../../../chroma/sent-vectors.js';
import { ChromaVectors } from '../../../chroma/vectors.js';
import { startHttpServer } from '../../support/http-server.js';
import { vectorOf } from '../../support/memory-ports.js';
import { generationOf, keyOf, recordOf } from './server.js';

const undos: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of undos.splice(0).reverse()) await undo();
});

const COLLECTION = {
  id: 'b3f1c0de-0000-4000-8000-000000000001',
  name: 'one',
  configuration_json: {},
  tenant: 'default_tenant',
  database: 'default_database',
};

/** The vectors that a server gets which takes base64, or does not. */
async function received(takesBase64: boolean, texts: readonly string[]): Promise<unknown> {
  let body: unknown;
  const server = await startHttpServer(async (request, response) => {
    const call = new URL(request.url ?? '/', 'http://chroma').pathname.split('/').at(-1);
    if (call === 'upsert') body = await json(request);
    const checks = { max_batch_size: 100, supports_base64_encoding: takesBase64 };
    const answer = call === 'upsert' ? {} : call === 'pre-flight-checks' ? checks : COLLECTION;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  const connection = new ChromaConnection(() => server.url);
  undos.push(
    () => server.close(),
    () => connection.close(),
  );
  const vectors = new ChromaVectors(new ChromaCollections(connection, 'b3f1c0de-0000-4000-8000-000000000000'));
  await vectors.upsert(
    keyOf(generationOf(1)),
    texts.map((text, place) => recordOf(`c${place}`, 0, text)),
  );
  return (body as { embeddings: unknown }).embeddings;
}

describe('vectors of a write', () => {
  const texts = ['a', 'b', 'c'];

  test('arrive as base64 at a server that takes it', async () => {
    const arrived = (await received(true, texts)) as string[];
    const vectors = arrived.map((packed) => {
      const { buffer, byteOffset, byteLength } = Buffer.from(packed, 'base64');
      return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
    });
    expect(vectors).toEqual(texts.map(vectorOf));
  });

  test('arrive as numbers at another server', async () => {
    expect(await received(false, texts)).toEqual(texts.map((text) => Array.from(vectorOf(text))));
  });

  test('are mapped by any other function as usual, also as views of a larger buffer', () => {
    const buffer = Float32Array.of(9, 0.25, -1, 9).buffer;
    const vectors = SentVectors.from([Float32Array.of(1, 2), new Float32Array(buffer, 4, 2)]);
    expect(vectors.map((vector) => vector.length)).toEqual([2, 2]);
    expect(JSON.stringify(vectors)).toBe('[[1,2],[0.25,-1]]');
    expect(new SentVectors().map(() => 1)).toEqual([]);
  });
});
