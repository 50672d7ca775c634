import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { authenticatorOf, DEFAULT_CALLER } from '../../src/access/authenticator.js';
import { UnauthenticatedError, UnavailableError } from '../../src/domain/errors.js';
import type { Authenticator } from '../../src/domain/ports/callers.js';
import { ROLES, type Role } from '../../src/domain/viewer.js';
import { answerOf, card, send, serving } from './gateway.js';

const serve = serving();

/** The whole answer to a GET with this Host header, which fetch would not send. */
async function getAs(url: string, host: string, path: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let said = '';
  for await (const chunk of socket.setEncoding('utf8')) said += chunk;
  return said;
}

describe('the host name of a request', () => {
  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io', '10.0.0.7', 'evil.example:80'])(
    'must be a loopback name without authentication: not %s',
    async (host) => {
      const { url } = await serve();
      for (const path of ['/metrics', '/nothing']) {
        const said = await getAs(url, host, path);
        expect(said).toMatch(/^HTTP\/1.1 421 /);
        expect(said).toContain('"code":"BAD_REQUEST"');
      }
    },
  );

  test.each(['localhost', 'LOCALHOST:4000', '127.0.0.1', '[::1]:4000'])('may be %s', async (host) => {
    const { url } = await serve();
    expect(await getAs(url, host, '/metrics')).toMatch(/^HTTP\/1.1 200 /);
  });

  test('may be one of the settings, and any for the routes of supervisors', async () => {
    const { url } = await serve({}, { guard: { hosts: new Set(['errata.example']) } });
    expect(await getAs(url, 'errata.example:443', '/metrics')).toMatch(/^HTTP\/1.1 200 /);
    expect(await getAs(url, 'localhost', '/metrics')).toMatch(/^HTTP\/1.1 421 /);
    expect(await getAs(url, '10.0.0.7:4000', '/healthz')).toMatch(/^HTTP\/1.1 200 /);
  });

  test.each([
    ['a user before the name', 'x@127.0.0.1'],
    ['a password before the name', 'evil.example:80@127.0.0.1'],
    ['a path behind the name', '127.0.0.1/evil.example'],
    ['a name that is none', 'a b<'],
    ['a second Host header', '127.0.0.1\r\nHost: evil.example'],
    ['the same Host header twice', '127.0.0.1\r\nhOST: 127.0.0.1'],
  ])('must be exactly one valid name: %s is refused on every path', async (_what, host) => {
    const { url } = await serve();
    for (const path of ['/metrics', '/healthz', '/nothing']) {
      const said = await getAs(url, host, path);
      expect(said).toMatch(/^HTTP\/1.1 400 /);
      expect(said).toContain('one Host header');
      expect(said).toContain('"code":"BAD_REQUEST"');
    }
  });

  test('is not taken from headers of proxies', async () => {
    const { url } = await serve({}, { guard: { hosts: new Set(['errata.example']) } });
    const reply = await fetch(`${url}/metrics`, {
      headers: {
        'x-forwarded-host': 'errata.example',
        forwarded: 'host=errata.example',
        'x-forwarded-for': '127.0.0.1',
      },
    });
    expect(reply.status).toBe(421);
  });
});

/** Takes the name of a role for a credential. */
const byRole: Authenticator = authenticatorOf({
  keys: null,
  tokens: {
    async check(token) {
      const role = ROLES.find((one) => one === token);
      if (role === undefined) throw new UnauthenticatedError('no such role');
      return { ...DEFAULT_CALLER, role, scopes: ['read', 'write'] };
    },
  },
});

async function ask(url: string, query: string, bearer?: string) {
  const headers = { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) };
  return answerOf(await send(url, { headers, body: JSON.stringify({ query }) }));
}

describe('the caller', () => {
  test('is passed to every resolver and route', async () => {
    const seen: unknown[] = [];
    const byIds = async (viewer: unknown) => {
      seen.push(viewer);
      return new Map([['card-1', card()]]);
    };
    const { url } = await serve({ store: { byIds } }, { guard: { authenticator: byRole } });
    for (const role of ROLES) {
      expect(await ask(url, '{ card(id: "card-1") { id } }', role)).toMatchObject({ data: { card: { id: 'card-1' } } });
    }
    expect(seen).toMatchObject(ROLES.map((role) => ({ role })));
  });

  test('is authenticated before the body is read, and nothing is done before', async () => {
    const { url } = await serve({}, { guard: { authenticator: byRole } });
    for (const body of ['{"query":', '{"query":"{ __typename }"}', '[]']) {
      const reply = await send(url, { body });
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
      const { status, data, errors } = await answerOf(reply);
      expect({ status, data, code: errors[0]?.extensions.code }).toEqual({
        status: 401,
        data: undefined,
        code: 'UNAUTHENTICATED',
      });
    }
  });

  test('is not waited for by /readyz for longer than its own checks', async () => {
    const authenticator = { authenticate: () => new Promise<never>(() => undefined) };
    const { url } = await serve({}, { guard: { authenticator } });
    const reply = await fetch(`${url}/readyz`, { headers: { authorization: 'Bearer x' } });
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual({ ready: true });
  });

  test('is UNAVAILABLE, not refused, while the issuer of tokens cannot be reached', async () => {
    const authenticator = { authenticate: () => Promise.reject(new UnavailableError('auth', 'no keys')) };
    const { url } = await serve({}, { guard: { authenticator } });
    expect(await ask(url, '{ __typename }', 'student')).toMatchObject({
      status: 503,
      errors: [{ extensions: { code: 'UNAVAILABLE', part: 'auth' } }],
    });
  });

  test('does not see the cause of an internal error of authentication', async () => {
    const authenticator = { authenticate: () => Promise.reject(new Error('password=hunter2')) };
    const { url, logged } = await serve({}, { guard: { authenticator } });
    const answer = await ask(url, '{ __typename }', 'student');
    expect(answer).toMatchObject({ status: 500, errors: [{ extensions: { code: 'INTERNAL' } }] });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
    expect(JSON.stringify(logged)).toContain('hunter2');
  });

  test('needs the role to rebuild the index', async () => {
    const status = {
      cards: 0,
      indexed: 0,
      pending: 0,
      failed: 0,
      model: 'm',
      building: true,
      next: null,
      reconciliation: null,
      collections: async () => [],
    };
    const control = { rebuild: async () => undefined, status: async () => status };
    const { url } = await serve({ control }, { guard: { authenticator: byRole } });
    const rebuild = (role: Role) => ask(url, 'mutation { a: rebuildIndex { building } }', role);
    expect(await rebuild('admin')).toMatchObject({ status: 200, data: { a: { building: true } } });
    for (const role of ['student', 'teacher'] as const) {
      expect(await rebuild(role)).toMatchObject({ status: 403, errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    }
  });

  test.each([
    '{ goldenSets { name } }',
    '{ goldenSet(name: "a") { name } }',
    'mutation { saveGoldenSet(input: { name: "a" }) { name } }',
    'mutation { addGoldenCase(set: "a", case: { operation: byError, text: "x" }) { name } }',
    'mutation { deleteGoldenSet(name: "a") }',
    'mutation { judgeHit(cardId: "a", query: { operation: byError, text: "x" }, relevance: RELATED) { set } }',
    'mutation { undoJudgement(judgementId: "1") { set } }',
    '{ evaluation(id: "a") { id } }',
    '{ evaluations { id } }',
    'mutation { evaluate(set: "a") { id } }',
    'mutation { saveSearchProfile(input: { name: "a", settings: {} }) { name } }',
    'mutation { deleteSearchProfile(name: "a") }',
    '{ classOverview(group: "a") { students } }',
    '{ studentGroups { name } }',
    'mutation { saveStudentGroup(input: { name: "a", owners: ["amy"] }) { name } }',
    'mutation { deleteStudentGroup(name: "a") }',
    '{ zeroResultSearches { text } }',
  ])('needs to be a teacher or an administrator for %s', async (query) => {
    // Whatever is called of the ports fails with another code.
    const { url } = await serve({}, { guard: { authenticator: byRole } });
    expect(await ask(url, query, 'student')).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    const staff = await ask(url, query, 'teacher');
    expect(staff).toMatchObject({ errors: [{ extensions: { code: expect.not.stringMatching('FORBIDDEN') } }] });
  });

  test('need not be authenticated for the start page and the sandbox, which contain no data', async () => {
    const { url } = await serve({}, { pages: true, guard: { authenticator: byRole } });
    for (const accept of ['text/html', 'application/json, text/html;q=0.1']) {
      for (const path of ['/', '/graphql', '/graphql?sandbox']) {
        const page = await fetch(`${url}${path}`, { headers: { accept } });
        expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
      }
    }
  });
});
