import { type CryptoKey, exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { TokenChecker } from '../../../src/access/token-checker.js';
import type { TokenSettings } from '../../../src/config/access-settings.js';
import { UnauthenticatedError, UnavailableError } from '../../../src/domain/errors.js';
import { type HttpServer, startHttpServer } from '../../support/http-server.js';
import { claimsOf, TOKEN_SETTINGS, tokenOf } from '../../support/tokens.js';

const SHARED: TokenSettings = {
  key: { kind: 'secret', secret: TOKEN_SETTINGS.JWT_SECRET },
  issuer: TOKEN_SETTINGS.JWT_ISSUER,
  audience: TOKEN_SETTINGS.JWT_AUDIENCE,
  algorithms: ['HS256'],
  maxAgeHours: 24,
  tenantClaim: 'tenant',
  roleClaim: 'role',
};
const HOUR_S = 3_600;
const now = (): number => Math.floor(Date.now() / 1_000);
const secretOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function checkerOf(settings: Partial<TokenSettings> = {}): TokenChecker {
  return new TokenChecker({ settings: { ...SHARED, ...settings }, log: { warn: () => undefined } });
}

function signed(header: Partial<JWTHeaderParameters>, key: CryptoKey | Uint8Array, given = {}): Promise<string> {
  return new SignJWT(claimsOf(given)).setProtectedHeader({ alg: 'HS256', ...header }).sign(key);
}

async function refused(token: string, settings: Partial<TokenSettings> = {}): Promise<string> {
  const refusal = await checkerOf(settings)
    .check(token)
    .catch((thrown: unknown) => thrown);
  expect(refusal).toBeInstanceOf(UnauthenticatedError);
  return (refusal as Error).message;
}

describe('a token signed with the shared secret', () => {
  test('names its caller', async () => {
    const token = await tokenOf({ sub: 'auth0|5f1c', tenant: 'school-7', role: 'teacher' });
    expect(await checkerOf().check(token)).toEqual({
      tenantId: 'school-7',
      ownerId: 'auth0|5f1c',
      role: 'teacher',
      scopes: ['read', 'write'],
    });
  });

  test('without a role has the lowest one', async () => {
    expect(await checkerOf().check(await tokenOf({ role: undefined }))).toMatchObject({ role: 'student' });
  });

  test('names tenant and role by the configured claims', async () => {
    const claims = { 'https://school.example/tenant': 'south', groups: 'admin', tenant: 'north', role: 'student' };
    const settings = { tenantClaim: 'https://school.example/tenant', roleClaim: 'groups' };
    const caller = await checkerOf(settings).check(await tokenOf(claims));
    expect(caller).toMatchObject({ tenantId: 'south', role: 'admin' });
  });

  test.each(['\u00a0amy', 'amy\u3000', '\ufeffamy', 'amy\t', ' amy'])('%j is not taken for amy', async (sub) => {
    await expect(checkerOf().check(await tokenOf({ sub }))).rejects.toThrow(
      'the claim "sub" of the token must not begin or end with white space',
    );
  });

  test.each([
    ['has expired', { exp: now() - 60 }, 'the token has expired'],
    ['never expires', { exp: undefined }, 'the token has no claim "exp"'],
    [
      'expires in ten years and was issued long ago',
      { iat: now() - 25 * HOUR_S, exp: now() + 87_600 * HOUR_S },
      'the token is older than JWT_MAX_AGE_HOURS',
    ],
    ['does not say when it was issued', { iat: undefined }, 'the token has no claim "iat"'],
    ['was issued in the future', { iat: now() + HOUR_S }, 'the token was issued in the future'],
    ['is not valid yet', { nbf: now() + HOUR_S }, 'the token is not valid yet'],
    ['expires at a text', { exp: 'soon' as unknown as number }, 'the token is malformed'],
    ['is of another issuer', { iss: 'https://elsewhere.example' }, 'the token is not one for this gateway'],
    ['names no issuer', { iss: undefined }, 'the token has no claim "iss"'],
    ['is for another audience', { aud: 'the library' }, 'the token is not one for this gateway'],
    ['names no audience', { aud: undefined }, 'the token has no claim "aud"'],
    ['names nobody', { sub: undefined }, 'the token has no claim "sub"'],
    ['names an empty name', { sub: ' ' }, 'the claim "sub" of the token must not be empty'],
    ['names nobody by a number', { sub: 7 as unknown as string }, 'the claim "sub" of the token must be a text'],
    ['names no tenant', { tenant: undefined }, 'the token has no claim "tenant"'],
    ['names several tenants', { tenant: ['north', 'south'] }, 'the claim "tenant" of the token must be a text'],
    [
      'names a tenant with a NUL',
      { tenant: 'a\0b' },
      'the claim "tenant" of the token must not hold the character U+0000',
    ],
    [
      'names a role that there is not',
      { role: 'root' },
      'the claim "role" of the token must be one of student, teacher, admin',
    ],
  ])('is refused where it %s', async (_what, given, message) => {
    expect(await refused(await tokenOf(given))).toBe(message);
  });

  test('is refused with another secret, another algorithm, another kind, or no signature', async () => {
    const secret = secretOf(TOKEN_SETTINGS.JWT_SECRET);
    await refused(await signed({}, secretOf('another secret, of more than 32 bytes')));
    await refused(await signed({ alg: 'HS512' }, secretOf(TOKEN_SETTINGS.JWT_SECRET.repeat(2))));
    await refused(await signed({ typ: 'logout+jwt' }, secret));
    await refused(new UnsecuredJWT(claimsOf({})).encode());
    const [head, body] = (await tokenOf({})).split('.') as [string, string];
    for (const forged of ['', 'x', `${head}.${body}.`, `${head}.${body}`, `${head}.${body}.AAAA`])
      await refused(forged);
    const other = Buffer.from(JSON.stringify(claimsOf({ role: 'admin' }))).toString('base64url');
    await refused(`${head}.${other}.${(await tokenOf({})).split('.')[2]}`);
  });

  test('is accepted without `typ`, and as an access token', async () => {
    const secret = secretOf(TOKEN_SETTINGS.JWT_SECRET);
    for (const header of [{}, { typ: 'at+jwt' }, { typ: 'application/at+JWT' }]) {
      expect(await checkerOf().check(await signed(header, secret))).toMatchObject({ ownerId: 'amy' });
    }
  });
});

describe('a token signed with a key that its issuer publishes', () => {
  let keys: { privateKey: CryptoKey; publicKey: CryptoKey };
  let server: HttpServer | undefined;

  beforeAll(async () => {
    keys = await generateKeyPair('RS256', { extractable: true });
  });
  afterEach(() => server?.close());

  async function publish(answer: () => { status: number; body: string } | null): Promise<Partial<TokenSettings>> {
    server = await startHttpServer((_request, response) => {
      const reply = answer();
      if (reply !== null) response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
    });
    return { key: { kind: 'jwks', url: `${server.url}/keys` }, algorithms: ['RS256'] };
  }

  const header = { alg: 'RS256', kid: 'one' };

  async function published(): Promise<Partial<TokenSettings>> {
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256' };
    return publish(() => ({ status: 200, body: JSON.stringify({ keys: [jwk] }) }));
  }

  test('names its caller', async () => {
    const token = await signed(header, keys.privateKey);
    expect(await checkerOf(await published()).check(token)).toMatchObject({ tenantId: 'north', ownerId: 'amy' });
  });

  test('is refused by an unknown key, and one signed with the public key as a secret too', async () => {
    const settings = await published();
    await refused(await signed({ ...header, kid: 'two' }, keys.privateKey), settings);
    const other = await generateKeyPair('RS256');
    await refused(await signed(header, other.privateKey), settings);
    const { n = '' } = await exportJWK(keys.publicKey);
    await refused(await signed({ alg: 'HS256', kid: 'one' }, secretOf(n)), settings);
  });

  test.each([
    ['does not answer well', () => ({ status: 500, body: '{}' })],
    ['answers no keys', () => ({ status: 200, body: '<html>' })],
    ['answers something else', () => ({ status: 200, body: '{"keys": 7}' })],
    ['does not answer in time', () => null],
  ])('is not called bad where the issuer %s', async (_what, answer) => {
    const settings = await publish(answer);
    const failure = await checkerOf(settings)
      .check(await signed(header, keys.privateKey))
      .catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(UnavailableError);
    expect(failure).toMatchObject({ part: 'auth' });
    expect((failure as Error).message).not.toMatch(/127\.0\.0\.1|JSON|ECONN/);
  });

  test('is refused ten minutes after the keys were fetched if its issuer has removed the key', async () => {
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256' };
    let published = [jwk];
    const checker = checkerOf(await publish(() => ({ status: 200, body: JSON.stringify({ keys: published }) })));
    const token = await signed(header, keys.privateKey);
    await checker.check(token);
    published = [{ ...jwk, kid: 'two' }];
    await checker.check(token);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 });
    try {
      await expect(checker.check(token)).rejects.toThrow(UnauthenticatedError);
    } finally {
      vi.useRealTimers();
    }
  });

  test('is accepted half a minute after its issuer has repaired its key, and those of other keys at any time', async () => {
    const other = await generateKeyPair('RS256');
    const [one, two] = await Promise.all([keys, other].map(({ publicKey }) => exportJWK(publicKey)));
    let published: object = { kty: 'RSA', kid: 'one', alg: 'RS256' };
    const answer = () => ({ keys: [published, { ...two, kid: 'two', alg: 'RS256' }] });
    const checker = checkerOf(await publish(() => ({ status: 200, body: JSON.stringify(answer()) })));
    const token = await signed(header, keys.privateKey);
    await expect(checker.check(token)).rejects.toThrow(UnavailableError);
    await checker.check(await signed({ ...header, kid: 'two' }, other.privateKey));
    published = { ...one, kid: 'one', alg: 'RS256' };
    await expect(checker.check(token)).rejects.toThrow(UnavailableError);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    try {
      expect(await checker.check(token)).toMatchObject({ ownerId: 'amy' });
    } finally {
      vi.useRealTimers();
    }
  });

  test('is UNAVAILABLE, not invalid, if the keys cannot be fetched', async () => {
    const settings = await published();
    await server?.close();
    const failure = checkerOf(settings).check(await signed(header, keys.privateKey));
    await expect(failure).rejects.toBeInstanceOf(UnavailableError);
  });
});
