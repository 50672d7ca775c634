import { beforeAll, describe, expect, test } from 'vitest';
import { EXPORT_FORMATS } from '../../../src/domain/parse/export.js';
import { idOfKey, keyOf } from '../../support/api-keys.js';
import type { Api } from '../../support/gateway.js';
import { imageOf } from '../../support/images.js';
import { until } from '../../support/until.js';
import { CARD, LEAK, OUTSIDERS, type Person, school, told } from './school.js';

describe('an uploaded file', () => {
  const content = Buffer.from(imageOf('image/png', { pixels: Buffer.from('of amy') }));
  const send = (bearer: string | null, query = ''): Promise<Response> =>
    school.post(`/attachments${query}`, bearer, 'image/png', content);
  const read = (person: Person, sha256: string): Promise<Response> =>
    fetch(new URL(`/attachments/${sha256}`, school.gateway.url), {
      headers: { authorization: `Bearer ${school.tokens[person]}` },
    });
  const attach = (person: Person, sha256: string) =>
    school.as[person].gql(
      `mutation { createCard(input: { subject: "math", difficulty: 1, questionText: "4 + 4", attachments: [{ sha256: "${sha256}" }] }) { attachments { url } } }`,
    );
  let sha256: string;
  beforeAll(async () => {
    const sent = await send(school.tokens.amy);
    ({ sha256 } = ((await sent.json()) as { attachment: { sha256: string } }).attachment);
    expect((await attach('amy', sha256)).errors).toBeUndefined();
  });

  test('is shown to its owner and the staff, and is not there for anybody else', async () => {
    for (const person of ['amy', 'tess'] as const) {
      const response = await read(person, sha256);
      expect([response.status, Buffer.from(await response.arrayBuffer()).equals(content)]).toEqual([200, true]);
    }
    const absent = '0'.repeat(64);
    for (const person of OUTSIDERS) {
      const [there, nothing] = [await read(person, sha256), await read(person, absent)];
      expect(there.status).toBe(404);
      expect((await there.text()).replaceAll(sha256, absent)).toBe(await nothing.text());
    }
    expect((await read('expired', sha256)).status).toBe(401);
  });

  test.each(OUTSIDERS)('is attached by its digest by nobody who has not uploaded it: %s', async (person) => {
    const absent = '0'.repeat(64);
    const answer = told(await attach(person, sha256), sha256);
    expect(answer).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT', field: 'input.attachments[0].sha256' } }],
    });
    const text = JSON.stringify(answer).replaceAll(sha256, absent);
    expect(JSON.parse(text)).toEqual(told(await attach(person, absent), absent));
  });

  test('that somebody else has too is uploaded as any other one, and is for students of their own alone', async () => {
    const [first, again] = [await send(school.tokens.ben), await send(school.tokens.stranger)];
    expect([first.status, await first.json()]).toEqual([again.status, await again.json()]);
    const refused = await send(school.tokens.ben, '?owner=amy');
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('upload files for other owners'),
    ]);
    expect((await send(school.tokens.tess, '?owner=amy')).status).toBe(201);
    expect((await send(null)).status).toBe(401);
  });
});

describe('an API key', () => {
  const CREATE =
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { text key { id ownerId scopes } } }';
  const idsSeenBy = async (person: Person): Promise<readonly string[]> =>
    (await school.as[person].must<{ apiKeys: readonly { id: string }[] }>('{ apiKeys { id } }')).apiKeys.map(
      ({ id }) => id,
    );

  test('created by an admin authenticates its owner, is listed without its secret, and is refused once revoked', async () => {
    const input = { ownerId: 'zoe', role: 'STUDENT' };
    const { createApiKey: made } = await school.as.strangeAdmin.must<{
      createApiKey: { text: string; key: { id: string } };
    }>(CREATE, { input });
    const zoe = school.gateway.as(made.text);
    expect((await zoe.gql('{ viewer { ownerId role tenantId scopes } }')).data).toEqual({
      viewer: { ownerId: 'zoe', role: 'STUDENT', tenantId: 'south', scopes: ['READ', 'WRITE'] },
    });
    const listed = await school.as.strangeAdmin.must(
      '{ apiKeys { id name ownerId role scopes createdAt lastUsedAt expiresAt revokedAt } }',
    );
    expect(JSON.stringify(listed)).not.toContain(made.text.slice(-20));
    expect(await school.as.strangeAdmin.must(`mutation { revokeApiKey(id: "${made.key.id}") }`)).toEqual({
      revokeApiKey: true,
    });
    const refused = async (): Promise<boolean> => (await zoe.gql('{ viewer { role } }')).status === 401;
    await until(refused, { deadlineMs: 30_000, what: 'the key to be refused' });
  });

  test('of another school is not listed, and cannot be distinguished from a missing one by revoking it', async () => {
    const text = await keyOf(school.database.url, ['read']);
    const id = idOfKey(text);
    expect(await idsSeenBy('strangeAdmin')).not.toContain(id);
    for (const one of [id, '0123456789abcdef']) {
      expect(await school.as.strangeAdmin.must(`mutation { revokeApiKey(id: "${one}") }`)).toEqual({
        revokeApiKey: false,
      });
    }
    expect((await school.gateway.as(text).gql('{ viewer { role } }')).status).toBe(200);
  });

  test.each(['amy', 'tess'] as const)('may not be listed, created or revoked by %s', async (person) => {
    for (const query of [
      '{ apiKeys { id } }',
      'mutation { createApiKey(input: { ownerId: "amy", role: ADMIN }) { text } }',
      'mutation { revokeApiKey(id: "0123456789abcdef") }',
    ]) {
      expect(await school.as[person].gql(query)).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    }
  });

  test('has no more rights than the credential that created it, and invalid fields are named', async () => {
    const maker = school.gateway.as(await keyOf(school.database.url, ['read', 'write']));
    for (const [input, field] of [
      [{ ownerId: 'zoe', role: 'ADMIN', scopes: ['METRICS'] }, 'input.scopes'],
      [{ ownerId: 'zoe', role: 'STUDENT', days: 4_000 }, 'input.days'],
      [{ ownerId: '', role: 'STUDENT' }, 'input.ownerId'],
    ] as const) {
      const before = await idsOf(maker);
      expect(await maker.gql(CREATE, { input })).toMatchObject({
        errors: [{ extensions: { code: 'BAD_USER_INPUT', field } }],
      });
      expect(await idsOf(maker)).toEqual(before);
    }
  });

  async function idsOf(who: Api): Promise<unknown> {
    return (await who.gql('{ apiKeys { id } }')).data;
  }
});

describe('a file', () => {
  test.each(EXPORT_FORMATS)("of cards as %s contains the caller's cards", async (format) => {
    const everything = await school.exported(school.tokens.amy, { format });
    expect(everything.status).toBe(200);
    const text = await everything.text();
    // A workbook is packed: that it holds the cards is seen where it is not.
    if (format !== 'xlsx') expect(text).toMatch(/zquestionz/);
    for (const person of ['ben', 'stranger', 'strangeTeacher', 'strangeAdmin'] as const) {
      const theirs = await school.exported(school.tokens[person], { format });
      expect([person, theirs.status]).toEqual([person, 200]);
      expect(await theirs.text()).not.toMatch(LEAK);
      const named = async (id: string): Promise<unknown> => {
        const answer = await school.exported(school.tokens[person], { format, cardIds: [id] });
        return [answer.status, (await answer.text()).replaceAll(id, 'asked')];
      };
      expect(await named(CARD)).toEqual(await named('nobodys-card'));
    }
  });

  test("with the id of somebody else's card does not change it, and reveals nothing of it", async () => {
    const query = `{ card(id: "${CARD}") { revision questionText difficulty occurrences updatedAt } }`;
    const owned = await school.as.amy.must(query);
    for (const person of ['ben', 'stranger', 'strangeAdmin'] as const) {
      const answer = await school.uploaded(school.tokens[person], {
        id: CARD,
        subject: 'math',
        difficulty: 5,
        questionText: 'mine now',
      });
      const { importJob } = (await answer.json()) as { importJob: { id: string } };
      const report = await school.as[person].gql(
        `{ importJob(id: "${importJob.id}") { state created merged updated problems { row reason } } }`,
      );
      expect(JSON.stringify(report)).not.toMatch(LEAK);
      expect(await school.as.amy.must(query)).toEqual(owned);
    }
  });

  test('is neither accepted from nor sent to callers without a valid credential', async () => {
    const bad = {
      nobody: null,
      'an expired token': school.tokens.expired,
      'an expired key': await keyOf(school.database.url, ['read', 'write', 'metrics'], { expiresAt: new Date(0) }),
      'a revoked key': await keyOf(school.database.url, ['read', 'write', 'metrics'], { isRevoked: true }),
    };
    const card = { id: 'intruder', subject: 'math', difficulty: 1, questionText: 'x' };
    for (const [who, bearer] of Object.entries(bad)) {
      const metrics = fetch(new URL('/metrics', school.gateway.url), {
        headers: bearer === null ? {} : { authorization: `Bearer ${bearer}` },
      });
      for (const answer of [
        await school.exported(bearer, { format: 'csv' }),
        await school.uploaded(bearer, card),
        await metrics,
      ]) {
        expect([who, answer.status, await answer.json()]).toMatchObject([
          who,
          401,
          { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
        ]);
      }
    }
    expect(await school.as.tess.must('{ card(id: "intruder") { id } }')).toEqual({ card: null });
  });
});

test('a key for metrics reads metrics but no cards or names; a credential for cards reads no metrics', async () => {
  const figures = await keyOf(school.database.url, ['metrics']);
  for (const answer of [
    await school.exported(figures, { format: 'csv' }),
    await school.uploaded(figures, { id: 'intruder', subject: 'math', difficulty: 1, questionText: 'x' }),
  ]) {
    expect([answer.status, await answer.json()]).toMatchObject([
      403,
      { errors: [{ extensions: { code: 'FORBIDDEN' } }] },
    ]);
  }
  const get = (path: string, bearer: string): Promise<Response> =>
    fetch(new URL(path, school.gateway.url), { headers: { authorization: `Bearer ${bearer}` } });
  const page = await (await get('/metrics', figures)).text();
  expect(page).toContain('errata_operations_total');
  expect(page).not.toMatch(LEAK);
  expect(page).not.toMatch(/amy|tess|north|south/);
  expect(await (await get('/readyz', figures)).json()).toMatchObject({ ready: true, detail: expect.anything() });
  for (const person of ['amy', 'tess', 'strangeAdmin'] as const) {
    expect((await get('/metrics', school.tokens[person])).status).toBe(403);
    expect(await (await get('/readyz', school.tokens[person])).json()).toEqual({ ready: true });
  }
});
