import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadPersistedOperations } from '../../../src/access/persisted-operations.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'errata-safelist-'));
});
afterAll(() => rm(folder, { recursive: true }));

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const A = '{ facets { total } }';
const B = 'query B { indexStatus { cards } }';

async function load(content: unknown) {
  const path = join(folder, 'operations.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return loadPersistedOperations(path);
}

describe('a file of operations', () => {
  test.each([
    ['a list of documents', [A, B]],
    ['documents by their hash', { [sha256(A)]: A, [sha256(B).toUpperCase()]: B }],
    [
      "Apollo's manifest",
      {
        format: 'apollo-persisted-query-manifest',
        version: 1,
        operations: [A, B].map((body) => ({ id: sha256(body), name: 'x', type: 'query', body })),
      },
    ],
  ])('may be %s', async (_form, content) => {
    const list = await load(content);
    expect(list.size).toBe(2);
    for (const document of [A, B]) {
      expect(list.find({ query: document, sha256: undefined })).toBe(document);
      expect(list.find({ query: undefined, sha256: sha256(document) })).toBe(document);
    }
    expect(list.find({ query: `${A} `, sha256: sha256(A) })).toBeNull();
    expect(list.find({ query: 5, sha256: 5 })).toBeNull();
    expect(list.find({ query: undefined, sha256: sha256('') })).toBeNull();
  });

  test.each([
    ['no JSON', '{', /must be JSON/],
    ['another form', { a: 5 }, /must be JSON/],
    ['nothing in it', [], /there is none/],
    ['a hash of something else', { [sha256(A)]: B }, /is not the SHA-256 of its document/],
  ])('with %s is refused', async (_what, content, problem) => {
    await expect(load(content)).rejects.toThrow(problem);
  });

  test('that is not there is refused by its name', async () => {
    const missing = join(folder, 'missing.json');
    await expect(loadPersistedOperations(missing)).rejects.toThrow(`${missing} cannot be used: ENOENT`);
  });
});
