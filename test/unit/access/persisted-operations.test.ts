import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operationProblem } from '../../../resolvers/requests/operation-problem.js';
import { COMMAND_OPERATIONS } from '../../../src/access/command-operations.js';
import { PersistedOperations, readPersistedOperations } from '../../../src/access/persisted-operations.js';
import { folderOfFile } from '../../support/folder.js';

const folder = await folderOfFile('operations');

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const A = '{ facets { total } }';
const B = 'query B { indexStatus { cards } }';

async function load(content: unknown) {
  const path = await folder.write('operations.json', typeof content === 'string' ? content : JSON.stringify(content));
  return readPersistedOperations(path, (document) =>
    operationProblem(document, { introspection: false, federation: false }),
  );
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
    const list = new PersistedOperations(await load(content));
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
    ['nothing in it', [], /it has no operation/],
    ['a hash of something else', { [sha256(A)]: B }, /is not the SHA-256 of its document/],
  ])('with %s is refused', async (_what, content, problem) => {
    await expect(load(content)).rejects.toThrow(problem);
  });

  test.each([
    ['no document', 'query Broken {', /operation 2 \(Broken\): Syntax Error/],
    ['a field that there is not', 'query Gone { gone }', /operation 2 \(Gone\): Cannot query field "gone"/],
    ['an event that there is not', 'subscription Late { late }', /operation 2 \(Late\): Cannot query field "late"/],
    ['an argument of another type', '{ card(id: {}) { id } }', /operation 2: ID cannot represent/],
    [
      'two operations',
      'query C { facets { total } } query D { facets { total } }',
      /operation 2 \(C\): a document may/,
    ],
    ['no operation at all', 'fragment F on MistakeCard { id }', /operation 2: Fragment "F" is never used/],
    ['more than any request may ask', `{ ${'facets { total } '.repeat(102)} }`, /operation 2: .*at most/],
    [
      'more than the limit of complexity',
      'query Q($text: String!) { byError(text: $text, topK: 200) { hits { lanes { a: kind b: kind c: kind d: kind e: kind } card { id } } } }',
      /operation 2 \(Q\): the operation has a complexity of \d+; the limit is 10000/,
    ],
    ['introspection', '{ __schema { types { name } } }', /operation 2: .*introspection/i],
  ])('with %s among its operations is refused by its place', async (_what, document, problem) => {
    await expect(load([A, document])).rejects.toThrow(problem);
  });

  test('may have operations whose complexity depends on their variables, and a byte order mark', async () => {
    const hits = 'hits { lanes { a: kind b: kind c: kind d: kind e: kind } card { id } }';
    const documents = [
      `query Few($text: String!) { byError(text: $text, topK: 20) { ${hits} } }`,
      `query Any($text: String!, $topK: Int) { byError(text: $text, topK: $topK) { ${hits} } }`,
      `query After($after: String) { byError(text: "x", topK: 200, after: $after) { ${hits} } }`,
    ];
    expect(await load(`\uFEFF${JSON.stringify(documents)}`)).toEqual(documents);
  });

  test('is refused with the operations that can never succeed, at most ten', async () => {
    const broken = Array.from({ length: 14 }, (_, place) => `query Q${place} { gone${place} }`);
    const { message } = await load([...broken, A]).then(
      () => new Error('it was accepted'),
      (thrown: Error) => thrown,
    );
    for (let place = 0; place < 10; place += 1) expect(message).toContain(`operation ${place + 1} (Q${place}): `);
    expect(message).toMatch(/; and 4 more$/);
  });

  test('that is missing is refused by name', async () => {
    const missing = join(folder.path, 'missing.json');
    await expect(readPersistedOperations(missing, () => null)).rejects.toThrow(
      `OPERATIONS_FILE: ${missing} cannot be used: ENOENT: no such file or directory`,
    );
  });
});

describe('the operations of the command line', () => {
  test.each(Object.entries(COMMAND_OPERATIONS))('are answered by this gateway: %s', (_name, document) => {
    expect(operationProblem(document, { introspection: false, federation: false })).toBeNull();
  });
});
