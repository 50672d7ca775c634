import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ApiKeyService, isSecret, KeyChecker, keyParts, newApiKey } from '../../../src/access/api-key.js';
import { delay } from '../../../src/domain/async.js';
import { UnauthenticatedError, UnavailableError } from '../../../src/domain/errors.js';
import type { UsableApiKey } from '../../../src/domain/ports/callers.js';
import type { Caller } from '../../../src/domain/viewer.js';
import { until } from '../../support/until.js';

const caller: Caller = { tenantId: 'north', ownerId: 'amy', role: 'student', scopes: ['read'] };

describe('a key', () => {
  test('is parsed into the parts it was made of, and only its hash is stored', () => {
    const { text, id, secretSha256 } = newApiKey();
    const parts = keyParts(text);
    expect(parts?.id).toBe(id);
    expect(secretSha256).toHaveLength(32);
    expect(isSecret(parts?.secret ?? '', secretSha256)).toBe(true);
    expect(Buffer.from(secretSha256).toString('base64url')).not.toContain(parts?.secret ?? 'none');
  });

  test('with the prefix of earlier versions stays valid', () => {
    const { text, id } = newApiKey();
    expect(text).toMatch(/^errata_/);
    expect(keyParts(text.replace(/^errata_/, 'ms_'))).toEqual({ ...keyParts(text), id });
  });

  test('is never created twice', () => {
    const texts = Array.from({ length: 1_000 }, () => newApiKey().text);
    expect(new Set(texts).size).toBe(1_000);
  });

  test('is not accepted in any other form', () => {
    const { text } = newApiKey();
    for (const other of [
      '',
      'errata_',
      'ms_',
      text.slice(0, -1),
      `${text}A`,
      ` ${text}`,
      `${text}\n`,
      text.toUpperCase(),
      `x${text}`,
    ]) {
      expect(keyParts(other)).toBeNull();
    }
  });

  test('has only one valid secret, and an unknown key has none', () => {
    const [one, other] = [newApiKey(), newApiKey()];
    const secret = keyParts(one.text)?.secret ?? '';
    expect(isSecret(secret, other.secretSha256)).toBe(false);
    expect(isSecret(secret, null)).toBe(false);
    expect(isSecret('', null)).toBe(false);
  });
});

describe('checking a key', () => {
  const { text, id, secretSha256 } = newApiKey();
  const right = keyParts(text) as { id: string; secret: string };

  interface Asked {
    readonly checker: KeyChecker;
    readonly asked: string[];
    readonly written: string[];
    readonly warned: object[];
    readonly remembered: boolean[];
  }

  function checkerOf(stored: Partial<UsableApiKey> | null, used: () => Promise<void> = async () => undefined): Asked {
    const [asked, written, warned]: [string[], string[], object[]] = [[], [], []];
    const remembered: boolean[] = [];
    const checker = new KeyChecker({
      keys: {
        usable: async (key) => {
          asked.push(key);
          return stored === null || key !== id ? null : { caller, secretSha256, usedLately: true, ...stored };
        },
        used: (key) => {
          written.push(key);
          return used();
        },
      },
      onLookUp: (was) => remembered.push(was),
      log: { warn: (facts) => void warned.push(facts) },
    });
    return { checker, asked, written, warned, remembered };
  }

  test('returns its caller, and reads the store once for many requests', async () => {
    const { checker, asked } = checkerOf({});
    for (let request = 0; request < 50; request++) expect(await checker.check(right)).toEqual(caller);
    expect(asked).toEqual([id]);
  });

  test('reports for each check whether the key was cached', async () => {
    const { checker, remembered } = checkerOf({});
    await checker.check(right);
    await checker.check(right);
    await expect(checker.check({ ...right, id: '0123456789abcdef' })).rejects.toThrow(UnauthenticatedError);
    expect(remembered).toEqual([false, true, false]);
  });

  test.each([
    ['an unknown id', { id: '0123456789abcdef', secret: right.secret }],
    ['a wrong secret', { id, secret: 'A'.repeat(43) }],
  ])('says the same of %s', async (_what, parts) => {
    const { checker } = checkerOf({});
    await checker.check(right);
    const refusal = checker.check(parts);
    await expect(refusal).rejects.toBeInstanceOf(UnauthenticatedError);
    await expect(refusal).rejects.toThrow('the API key is not valid');
  });

  test('does not cache a check with a wrong secret', async () => {
    const { checker } = checkerOf({});
    await expect(checker.check({ id, secret: 'A'.repeat(43) })).rejects.toThrow(UnauthenticatedError);
    expect(await checker.check(right)).toEqual(caller);
  });

  test('fails within seconds while the database hangs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const usable = () => new Promise<never>(() => undefined);
    const keys = { usable, used: async () => undefined };
    const checker = new KeyChecker({ keys, onLookUp: () => undefined, log: { warn: () => undefined } });
    const refused = expect(checker.check(right)).rejects.toThrow('database is unavailable: no answer within 5000 ms');
    await vi.advanceTimersByTimeAsync(5_000);
    await refused;
  });

  test('records its use, at most once per interval', async () => {
    const lately = checkerOf({ usedLately: true });
    await lately.checker.check(right);
    expect(lately.written).toEqual([]);
    const long = checkerOf({ usedLately: false });
    for (let request = 0; request < 10; request++) await long.checker.check(right);
    expect(long.written).toEqual([id]);
  });

  test('succeeds while the database completes no writes, and begins one at a time', async () => {
    let nowMs = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    onTestFinished(() => clock.mockRestore());
    const { checker, written, asked } = checkerOf({ usedLately: false }, () => new Promise<never>(() => undefined));
    for (let request = 0; request < 3; request++) {
      expect(await checker.check(right)).toEqual(caller);
      // The cache reads the clock at most once in a millisecond.
      await delay(5);
      nowMs += 2_001;
    }
    expect({ asked, written }).toEqual({ asked: [id, id, id], written: [id] });
  });

  test('succeeds while the database is read-only, with a log line without the secret', async () => {
    const full = new UnavailableError('database', "the server's disk is full");
    const { checker, warned } = checkerOf({ usedLately: false }, () => Promise.reject(full));
    expect(await checker.check(right)).toEqual(caller);
    await until(() => warned.length > 0, { deadlineMs: 30_000, what: 'the log line' });
    expect(warned).toEqual([{ err: full, keyId: id }]);
    expect(JSON.stringify(warned)).not.toContain(right.secret);
  });
});

test('a gateway that accepts no keys creates none, because they would become valid later', async () => {
  const unexpected = () => Promise.reject(new Error('unexpected'));
  const keys = new ApiKeyService({ create: unexpected, list: unexpected, revoke: unexpected }, false);
  const wanted = { ownerId: 'amy', role: 'admin', scopes: ['read'], name: 'x', days: 1 } as const;
  await expect(keys.create({ ...caller, role: 'admin' }, wanted)).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
