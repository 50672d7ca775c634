import { afterEach, expect, test, vi } from 'vitest';
import { keysCommand } from '../../../src/cli/keys.js';
import { EXIT } from '../../../src/domain/exit-codes.js';
import { ran } from '../../support/command.js';

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['--owner', ''],
  ['--owner', 'amy '],
  ['--tenant', ''],
])('keys create refuses %s %j before it opens the database', async (option, value) => {
  // Nothing listens on port 1.
  vi.stubEnv('DATABASE_URL', 'postgresql://127.0.0.1:1/errata');
  const given = option === '--owner' ? [] : ['--owner', 'amy'];
  const { thrown } = await ran(keysCommand(), 'create', ...given, option, value, '--role', 'student');
  expect(thrown).toMatchObject({ message: expect.stringContaining(`${option} must not`), exitCode: EXIT.usage });
});
