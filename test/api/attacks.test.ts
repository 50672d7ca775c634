/**
 * Known attacks on GraphQL servers, each with the request that its tool sends, against a gateway in production mode.
 */
import { describe, expect, test } from 'vitest';
import { attackTarget, INVALID, TOO_COMPLEX, times, UNPARSED } from './attack-target.js';
import { answerOf, send } from './gateway.js';

const target = attackTarget();

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
    expect(await target.attack(query)).toEqual(expected);
  });

  test('batch_query', async () => {
    const body = JSON.stringify(Array.from({ length: 10 }, () => ({ query: 'query cop { __typename }' })));
    const { status, data, errors } = await answerOf(await send(target.api.url, { body }));
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
      const reply = await fetch(`${target.api.url}/graphql?query=${encodeURIComponent(query)}`, { headers });
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
      const { status, data, errors } = await answerOf(await send(target.api.url, { headers, body }));
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
    const reply = await fetch(`${target.api.url}${path}`, { headers: { accept: 'text/html' } });
    expect(reply.status).toBe(status);
    expect(reply.headers.get('content-type')).toContain('application/json');
    expect(await reply.text()).not.toMatch(/graphi?ql\.min|playground|sandbox|<html/i);
  });

  test('detect_graphiql at /, which is a page without a script of its own text', async () => {
    const reply = await fetch(target.api.url, { headers: { accept: 'text/html' } });
    expect(reply.status).toBe(200);
    expect(await reply.text()).not.toMatch(/graphi?ql\.min|playground|sandbox|<script(?![^>]* src="\.\/studio\/)/i);
  });

  test('trace_mode', async () => {
    const { data, errors, ...rest } = await target.api.post('query cop { __typename }');
    expect({ data, errors, rest }).toEqual({ data: { __typename: 'Query' }, errors: [], rest: { status: 200 } });
  });
});

describe('around the document', () => {
  test('a comment of 900 kB is too large', async () => {
    const body = JSON.stringify({ query: `{ __typename } #${'x'.repeat(900_000)}` });
    expect(await answerOf(await send(target.api.url, { body }))).toMatchObject({
      status: 413,
      errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }],
    });
  });

  test('an operation name over 64 characters is refused, and one with a line break is unknown', async () => {
    expect(await target.attack('query cop { __typename }', { operationName: 'x'.repeat(65) })).toEqual({
      status: 400,
      codes: ['BAD_REQUEST'],
    });
    expect(await target.attack('query cop { __typename }', { operationName: 'a\r\n{"level":60}\u001b[31m' })).toEqual({
      status: 400,
      codes: ['OPERATION_RESOLUTION_FAILURE'],
    });
    expect(JSON.stringify(target.api.logged)).not.toContain('level\\":60');
  });

  test.each([
    ['unknown', 'B', 'OPERATION_RESOLUTION_FAILURE'],
    ['empty', '', 'OPERATION_RESOLUTION_FAILURE'],
    ['a number', 5, 'BAD_REQUEST'],
  ])('an operation name that is %s is refused alike at /graphql and /graphql/stream', async (_what, given, code) => {
    for (const [path, operation] of [
      ['/graphql', 'query'],
      ['/graphql/stream', 'subscription'],
    ]) {
      const query = `${operation} A { indexStatus { cards } }`;
      const reply = await fetch(`${target.api.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, operationName: given }),
      });
      const { status, errors } = await answerOf(reply);
      expect([path, status, errors[0]?.extensions.code]).toEqual([path, 400, code]);
    }
  });

  test('automatic persisted queries are neither stored nor found', async () => {
    const hash = 'ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38';
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash } };
    for (const body of [{ query: '{__typename}', extensions }, { extensions }]) {
      const { status, data, errors } = await answerOf(await send(target.api.url, { body: JSON.stringify(body) }));
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
    expect(await target.attack(query, {})).toEqual(INVALID);
  });

  test.each([
    ['enum value', { qualityGrades: ['GOD'] }],
    ['input field', { grads: ['G5'] }],
    ['nested input field', { metadata: [{ ky: 'a', value: 'b' }] }],
  ])('a misspelled %s in a variable gets no suggestion', async (_what, filter) => {
    const query = 'query ($filter: CardFilter) { cards(filter: $filter) { totalCount } }';
    expect(await target.attack(query, { variables: { filter } })).toEqual({ status: 400, codes: ['BAD_USER_INPUT'] });
  });
});
