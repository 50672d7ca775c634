/**
 * Known attacks on GraphQL servers, each with the request that its tool sends, against a gateway in production mode.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SearchHit } from '../../src/domain/search-result.js';
import { answerOf, card, RECEIPT, send, startApi, type TestApi } from './gateway.js';

let gateway: TestApi;
let calls = 0;

beforeAll(async () => {
  const hits: SearchHit[] = [];
  gateway = await startApi(
    {
      store: {
        byIds: async (_viewer, ids) => {
          calls += 1;
          return new Map(ids.map((id) => [id, card({ id })]));
        },
        delete: async () => {
          calls += 1;
          return true;
        },
        page: async () => {
          calls += 1;
          return { edges: [], hasNextPage: false, totalCount: 0 };
        },
      },
      engine: {
        search: async () => {
          calls += 1;
          return { hits, hasMore: false, receipt: RECEIPT };
        },
      },
    },
    { production: true },
  );
});
afterAll(() => gateway.close());

interface Outcome {
  readonly status: number;
  readonly codes: readonly string[];
}

/** Posts a document as graphql-cop does, and checks what holds of every refusal. */
async function attack(query: string, more: object = { operationName: 'cop' }): Promise<Outcome> {
  const before = calls;
  const reply = await send(gateway.url, { body: JSON.stringify({ query, ...more }) });
  const text = await reply.text();
  const { data, errors = [] } = JSON.parse(text) as { data?: unknown; errors?: { extensions: { code: string } }[] };
  expect(data ?? null).toBeNull();
  expect(calls).toBe(before);
  expect(errors.length).toBeLessThanOrEqual(6);
  expect(text).not.toMatch(/did you mean|stacktrace|exception|tracing/i);
  return { status: reply.status, codes: [...new Set(errors.map(({ extensions }) => extensions.code))] };
}

const TOO_COMPLEX: Outcome = { status: 400, codes: ['TOO_COMPLEX'] };
const INVALID: Outcome = { status: 400, codes: ['GRAPHQL_VALIDATION_FAILED'] };
const UNPARSED: Outcome = { status: 400, codes: ['GRAPHQL_PARSE_FAILED'] };

const times = (count: number, text: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');

describe("graphql-cop's checks", () => {
  test.each([
    ['alias_overloading', `query cop { ${times(101, (n) => `alias${n}:__typename \n`)} }`, TOO_COMPLEX],
    ['directive_overloading', 'query cop { __typename @aa@aa@aa@aa@aa@aa@aa@aa@aa@aa }', INVALID],
    [
      'circular_query_introspection',
      'query cop { __schema { types { fields { type { fields { type { fields { type { fields { type { name } } } } } } } } } } }',
      INVALID,
    ],
    ['introspection', 'query cop { __schema { types { name fields { name } } } }', INVALID],
    ['field_suggestions', 'query cop { __schema { directive } }', INVALID],
    ['unhandled_error_detection', 'qwerty cop { abc }', UNPARSED],
    ['field_duplication', `query cop { ${'__typename \n'.repeat(500)} }`, TOO_COMPLEX],
  ])('%s', async (_id, query, expected) => {
    expect(await attack(query)).toEqual(expected);
  });

  test('batch_query', async () => {
    const body = JSON.stringify(Array.from({ length: 10 }, () => ({ query: 'query cop { __typename }' })));
    const { status, data, errors } = await answerOf(await send(gateway.url, { body }));
    expect({ status, data, code: errors[0]?.extensions.code }).toEqual({
      status: 400,
      data: undefined,
      code: 'BAD_REQUEST',
    });
  });

  test.each([
    ['get_method_support', 'query cop {__typename}'],
    ['get_based_mutation', 'mutation cop {__typename}'],
  ])('%s', async (_id, query) => {
    for (const headers of [
      {},
      { 'apollo-require-preflight': '1', 'content-type': 'application/json' },
      { 'content-type': 'text/plain' },
    ] as Record<string, string>[]) {
      const reply = await fetch(`${gateway.url}/graphql?query=${encodeURIComponent(query)}`, { headers });
      const { status, data, errors } = await answerOf(reply);
      expect({ status, data, code: errors[0]?.extensions.code }).toEqual({
        status: 405,
        data: undefined,
        code: 'BAD_REQUEST',
      });
    }
  });

  test('post_based_csrf', async () => {
    for (const [type, body] of [
      ['application/x-www-form-urlencoded', 'query=query+cop+%7B+__typename+%7D'],
      ['text/plain', '{"query":"query cop { __typename }"}'],
      [
        'multipart/form-data; boundary=x',
        '--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n{}\r\n--x--',
      ],
    ] as const) {
      const headers = { 'content-type': type };
      const { status, data, errors } = await answerOf(await send(gateway.url, { headers, body }));
      const code = errors[0]?.extensions.code;
      expect({ type, status, data, code }).toEqual({ type, status: 415, data: undefined, code: 'BAD_REQUEST' });
    }
  });

  test.each([
    ['/graphiql', 404],
    ['/playground', 404],
    ['/console', 404],
    ['/graphql', 405],
    ['/graphql?sandbox', 405],
  ])('detect_graphiql at %s', async (path, status) => {
    const reply = await fetch(`${gateway.url}${path}`, { headers: { accept: 'text/html' } });
    expect(reply.status).toBe(status);
    expect(reply.headers.get('content-type')).toContain('application/json');
    expect(await reply.text()).not.toMatch(/graphi?ql\.min|playground|sandbox|<html/i);
  });

  test('detect_graphiql at /, which is a page without a script of its own text', async () => {
    const reply = await fetch(gateway.url, { headers: { accept: 'text/html' } });
    expect(reply.status).toBe(200);
    expect(await reply.text()).not.toMatch(/graphi?ql\.min|playground|sandbox|<script(?![^>]* src="\.\/studio\/)/i);
  });

  test('trace_mode', async () => {
    const { data, errors, ...rest } = await gateway.post('query cop { __typename }');
    expect({ data, errors, rest }).toEqual({ data: { __typename: 'Query' }, errors: [], rest: { status: 200 } });
  });
});

/** Fragments that each spread the next one twice under other aliases: 9 levels are 512 ways to the last. */
const ALIASED_BOMB = `{ ...F0 } ${times(9, (n) => `fragment F${n} on Query { a${n}: cards { totalCount } b${n}: cards { totalCount } ...F${n + 1} ...F${n + 1} }`)} fragment F9 on Query { __typename }`;
const SPREAD_BOMB = (levels: number): string =>
  `{ ...F0 } ${times(levels, (n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`)} fragment F${levels} on Query { __typename }`;
const DEEP = (levels: number): string => `${'{ types '.repeat(levels)}{ name }${' }'.repeat(levels)}`;

const FIELDS = ['questionText', 'subject', 'grade', '__typename'];
/** So many aliases in one operation, at most five of each field. */
const aliases = (count: number): string =>
  `{ cards { nodes { ${times(count, (n) => `a${n}: ${FIELDS[Math.floor(n / 5)]}`)} } } }`;

describe('a request over the limits', () => {
  test.each([
    ['thirteen levels', DEEP(12), TOO_COMPLEX],
    ['101 aliases of a real field', `{ ${times(101, (n) => `a${n}: cards { totalCount }`)} }`, TOO_COMPLEX],
    ['six aliases of one field', `{ ${times(6, (n) => `a${n}: card(id: "x") { id }`)} }`, TOO_COMPLEX],
    [
      'six aliases of one field in a fragment',
      `{ ...A } fragment A on Query { ${times(6, (n) => `a${n}: card(id: "x") { id }`)} }`,
      TOO_COMPLEX,
    ],
    ['six aliases of __typename', `{ ${times(6, (n) => `a${n}: __typename`)} }`, TOO_COMPLEX],
    ['sixteen aliases, none of one field more than five times', aliases(16), TOO_COMPLEX],
    ['a field of the root eleven times', `{ ${times(11, () => 'cards { totalCount }')} }`, TOO_COMPLEX],
    [
      'a mutation twenty times under aliases',
      `mutation { ${times(20, (n) => `a${n}: deleteCard(id: "x")`)} }`,
      TOO_COMPLEX,
    ],
    ['four mutations', `mutation { ${times(4, (n) => `a${n}: deleteCard(id: "x")`)} }`, TOO_COMPLEX],
    ['an aliased fragment bomb', ALIASED_BOMB, TOO_COMPLEX],
    ['a fragment bomb of 2^20', SPREAD_BOMB(20), TOO_COMPLEX],
    ['a fragment bomb of 2^90', SPREAD_BOMB(90), TOO_COMPLEX],
    [
      'a fragment bomb that the operation does not spread',
      `{ __typename } ${SPREAD_BOMB(20).replace('{ ...F0 }', '')}`,
      TOO_COMPLEX,
    ],
    ['overlapping fields', `{ ${times(120, () => 'cards { totalCount }')} }`, TOO_COMPLEX],
    [
      'a product of inline fragments',
      `{ ${times(70, () => '... on Query { ... on Query { cards { totalCount } } }')} }`,
      TOO_COMPLEX,
    ],
    [
      '13 levels in a fragment named __schema',
      `{ ...__schema } fragment __schema on Query { __schema ${DEEP(12)} }`,
      TOO_COMPLEX,
    ],
  ])('%s', async (_what, query, expected) => {
    expect(await attack(query, {})).toEqual(expected);
  });

  test.each([
    ['20,000 brackets', '['.repeat(20_000), UNPARSED],
    ['20,000 brackets in an argument', `{ cards(filter: ${'['.repeat(20_000)} `, UNPARSED],
    ['20,000 nested selections', '{a'.repeat(20_000), UNPARSED],
    ['more than 1,000 tokens', `{ ${'__typename '.repeat(1_001)} }`, UNPARSED],
    ['20,000 times the same field', `{ ${'__typename '.repeat(20_000)} }`, UNPARSED],
    ['3,000 overlapping fields', `{ ${'cards { totalCount } '.repeat(750)} }`, UNPARSED],
    ['a cycle of fragments', '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }', INVALID],
    [
      'a cycle of fragments that spread each other twice',
      SPREAD_BOMB(60).replace('{ __typename }', '{ ...F0 ...F0 }'),
      INVALID,
    ],
    ['2,000 variables of one name', `query A(${'$a:a '.repeat(2_000)}) { __typename }`, UNPARSED],
    ['200 variables of one name', `query A(${'$a:Int '.repeat(200)}) { __typename }`, INVALID],
    ['500 operations', times(500, (n) => `query Q${n}{__typename}`), UNPARSED],
    ['100 operations', times(100, (n) => `query Q${n}{__typename}`), INVALID],
    ['a subscription', 'subscription { cards { totalCount } }', INVALID],
    ['@defer', '{ ... @defer { cards { totalCount } } }', INVALID],
    ['@stream', '{ cards { nodes @stream { id } } }', INVALID],
    ['a type by its name', '{ __type(name: "MistakeCard") { name } }', INVALID],
  ])('%s', async (_what, query, expected) => {
    expect(await attack(query, {})).toEqual(expected);
  });

  test('is refused before it is executed, in less time than a thousand ordinary requests take', async () => {
    const honest = await time(async () => {
      for (let n = 0; n < 20; n++) await gateway.post('{ __typename }');
    });
    for (const query of [ALIASED_BOMB, SPREAD_BOMB(90), '['.repeat(20_000), `{ ${'__typename '.repeat(20_000)} }`]) {
      expect(await time(() => attack(query, {}))).toBeLessThan(50 * honest);
    }
  });
});

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Everything that a search can tell of a card. */
const ALL_OF_A_CARD = `id subject grade difficulty questionText studentSolutionText goldSolutionBrief topicTags errorTypes
  qualityGrade source notes occurredAt occurrences createdAt updatedAt revision
  index { state indexedRevision indexedAt perspectives lastError }`;

describe('long lists', () => {
  const pages = (count: number, size: string): string =>
    times(
      count,
      (n) => `p${n}: cards(first: ${size}) { nodes { ${ALL_OF_A_CARD} } edges { node { ${ALL_OF_A_CARD} } } }`,
    );

  test.each([
    ['written out', `{ ${pages(3, '100')} }`, {}],
    ['in a variable', `query ($n: Int!) { ${pages(3, '$n')} }`, { n: 100 }],
    ["in a variable's default", `query ($n: Int = 100) { ${pages(3, '$n')} }`, {}],
    ['beyond what is allowed', `query ($n: Int!) { ${pages(3, '$n')} }`, { n: 1_000 }],
    ['below what is allowed', `query ($n: Int!) { ${pages(3, '$n')} }`, { n: -1 }],
    ['in a fragment', `query ($n: Int!) { ...A } fragment A on Query { ${pages(3, '$n')} }`, { n: 100 }],
  ])('cost as much as they may become: their length %s', async (_where, query, variables) => {
    expect(await attack(query, { variables })).toEqual(TOO_COMPLEX);
  });

  test('of common lengths are returned, and an invalid length is named in the error', async () => {
    expect(await gateway.post(`{ ${pages(1, '100')} }`)).toMatchObject({ status: 200, errors: [] });
    const { errors } = await gateway.post('query ($n: Int!) { cards(first: $n) { totalCount } }', { n: 1_000 });
    expect(errors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'first' });
  });
});

describe('requests of ordinary clients are answered:', () => {
  test.each([
    [
      'a search with everything that it can tell',
      `{ hybridSearch(text: "x", topK: 50) { hits { rank score card { ${ALL_OF_A_CARD} } lanes { perspective kind score weight contribution rank } rerankLogit layer threshold } receipt { candidates stages { stage tookMs } degraded { part reason } } } }`,
    ],
    [
      'five searches at once',
      `{ ${times(5, (n) => `s${n}: hybridSearch(text: "x", topK: 5) { hits { rank score card { ${ALL_OF_A_CARD} } lanes { perspective kind score } } }`)} }`.replace(
        's4: hybridSearch',
        's4: byError',
      ),
    ],
    [
      'components that each ask for the same id',
      `{ cards { nodes { id ${times(30, () => '... on MistakeCard { id __typename }')} } } }`,
    ],
    ['fifteen aliases, five of each field', aliases(15)],
    ['three mutations', `mutation { ${times(3, (n) => `a${n}: deleteCard(id: "x")`)} }`],
  ])('%s', async (_what, query) => {
    expect(await gateway.post(query)).toMatchObject({ status: 200, errors: [] });
  });
});

describe('around the document', () => {
  test('a comment of 900 kB is too large', async () => {
    const body = JSON.stringify({ query: `{ __typename } #${'x'.repeat(900_000)}` });
    expect(await answerOf(await send(gateway.url, { body }))).toMatchObject({
      status: 413,
      errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }],
    });
  });

  test('an operation name over 64 characters is refused, and one with a line break is unknown', async () => {
    expect(await attack('query cop { __typename }', { operationName: 'x'.repeat(65) })).toEqual({
      status: 400,
      codes: ['BAD_REQUEST'],
    });
    expect(await attack('query cop { __typename }', { operationName: 'a\r\n{"level":60}\u001b[31m' })).toEqual({
      status: 400,
      codes: ['OPERATION_RESOLUTION_FAILURE'],
    });
    expect(JSON.stringify(gateway.logged)).not.toContain('level\\":60');
  });

  test('automatic persisted queries are neither stored nor found', async () => {
    const hash = 'ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38';
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash } };
    for (const body of [{ query: '{__typename}', extensions }, { extensions }]) {
      const { status, data, errors } = await answerOf(await send(gateway.url, { body: JSON.stringify(body) }));
      expect({ status, data, code: errors[0]?.extensions.code }).toEqual({
        status: 200,
        data: undefined,
        code: 'PERSISTED_QUERY_NOT_SUPPORTED',
      });
    }
  });

  test.each([
    ['field', '{ serch }'],
    ['argument', '{ cards(frist: 2) { totalCount } }'],
    ['type', 'query ($x: CardFiltr) { cards(filter: $x) { totalCount } }'],
    ['enum value', '{ cards(filter: {qualityGrade: GOD}) { totalCount } }'],
    ['input field', '{ cards(filter: {grads: "G5"}) { totalCount } }'],
    ['directive', '{ cards @skp(if: true) { totalCount } }'],
    ['fragment type', '{ ... on Qery { cards { totalCount } } }'],
  ])('a misspelled %s gets no suggestion', async (_what, query) => {
    expect(await attack(query, {})).toEqual(INVALID);
  });
});
