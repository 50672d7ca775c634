import { describe, expect, test } from 'vitest';
import { newApiKey } from '../../../src/access/api-key.js';
import { authenticatorOf, DEFAULT_CALLER, EVERYONE } from '../../../src/access/authenticator.js';
import { hostNames } from '../../../src/access/create-access.js';
import { isLoopback } from '../../../src/config/rules.js';
import { UnauthenticatedError } from '../../../src/domain/errors.js';

describe('isLoopback', () => {
  test.each(['127.0.0.1', '127.8.9.10', '::1', 'localhost', 'LocalHost'])('is %s', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  test.each([
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '192.168.1.7',
    '128.0.0.1',
    '::ffff:10.0.0.1',
    'example.org',
    'localhost.example.org',
    '127.0.0.1.nip.io',
  ])('is not %s', (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});

describe('accepted host names', () => {
  test('are loopback names without authentication, and any with authentication', () => {
    const open = hostNames({ host: '127.0.0.2', auth: null, allowedHosts: null });
    expect([...(open ?? [])].sort()).toEqual(['127.0.0.1', '127.0.0.2', '[::1]', 'localhost']);
    expect(hostNames({ host: '0.0.0.0', auth: {}, allowedHosts: null })).toBeNull();
    expect(hostNames({ host: '::', auth: null, allowedHosts: ['errata.example'] })).toEqual(
      new Set(['errata.example']),
    );
  });
});

describe('a credential', () => {
  const who = (name: string) => async () => ({ ...DEFAULT_CALLER, ownerId: name });
  const both = authenticatorOf({ keys: { check: who('key') }, tokens: { check: who('token') } });
  const { text } = newApiKey();

  test('is distinguished by its form', async () => {
    expect(await both.authenticate(`Bearer ${text}`)).toMatchObject({ ownerId: 'key' });
    expect(await both.authenticate('bearer a.b.c')).toMatchObject({ ownerId: 'token' });
  });

  test('of a kind that is not accepted is refused', async () => {
    const keysAlone = authenticatorOf({ keys: { check: who('key') }, tokens: null });
    const tokensAlone = authenticatorOf({ keys: null, tokens: { check: who('token') } });
    await expect(keysAlone.authenticate('Bearer a.b.c')).rejects.toBeInstanceOf(UnauthenticatedError);
    await expect(tokensAlone.authenticate(`Bearer ${text}`)).rejects.toBeInstanceOf(UnauthenticatedError);
  });

  test('that is a part of a key is refused as a key, whatever else is accepted', async () => {
    const keysAlone = authenticatorOf({ keys: { check: who('key') }, tokens: null });
    for (const part of [text.slice(0, -1), `${text}A`, text.slice(0, 20), text.replace(/^errata/, 'ms').slice(0, -1)]) {
      for (const accepting of [keysAlone, both]) {
        await expect(accepting.authenticate(`Bearer ${part}`)).rejects.toThrow('the API key is not valid');
      }
    }
  });

  test.each([undefined, '', 'Bearer', 'Bearer ', `Basic ${text}`, text, `Bearer ${text} x`, `Bearer\t${text}`])(
    'is not %j',
    async (header) => {
      await expect(both.authenticate(header)).rejects.toBeInstanceOf(UnauthenticatedError);
    },
  );

  test('is not needed without authentication', async () => {
    expect(await EVERYONE.authenticate(undefined)).toEqual(DEFAULT_CALLER);
  });
});
