import { describe, expect, test } from 'vitest';
import { credential } from '../../../src/cli/settings.js';
import { StartupError } from '../../../src/domain/errors.js';
import { EXIT } from '../../../src/domain/exit-codes.js';

describe('the credential of a command', () => {
  test('is ERRATA_TOKEN, if that is set', () => {
    for (const ERRATA_TOKEN of ['errata_0123.abc', 'errata_0123.abc\n', ' errata_0123.abc\r\n']) {
      expect(credential({ ERRATA_TOKEN })).toBe('errata_0123.abc');
    }
    for (const env of [{}, { ERRATA_TOKEN: '' }, { ERRATA_TOKEN: '\n' }]) expect(credential(env)).toBeNull();
  });

  test.each(['> errata@0.1.0 errata\nsecret', 'se cret', 'se\tcret', 'secret\u00e9', 'secret\u7684'])(
    'is refused without printing it if it is %j',
    (ERRATA_TOKEN) => {
      const problem =
        'ERRATA_TOKEN must be the API key or token alone, but has blanks, line breaks or other characters';
      const hint = '`npm run -s errata -- keys create ...` prints nothing but the key';
      expect(() => credential({ ERRATA_TOKEN })).toThrow(new StartupError(`${problem}; ${hint}`, EXIT.permission));
    },
  );
});
