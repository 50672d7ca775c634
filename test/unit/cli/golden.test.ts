import { expect, test } from 'vitest';
import { goldenCommand } from '../../../src/cli/golden.js';
import { EXIT } from '../../../src/domain/exit-codes.js';
import { ran } from '../../support/command.js';
import { makeFolder } from '../../support/folder.js';

const NOBODY = ['--url', 'http://127.0.0.1:1'];

test('a wrong case is named by its file and line', async () => {
  const folder = await makeFolder('golden');
  try {
    const file = await folder.write('set.jsonl', '\uFEFF{"id":"q","operation":"byError","text":"x"}\n\n{"id"');
    const { thrown } = await ran(goldenCommand(), 'import', file, ...NOBODY);
    expect(thrown?.message).toMatch(`${file}: line 3: is not JSON`);
  } finally {
    await folder.remove();
  }
});

test('a file without cases replaces no set', async () => {
  const folder = await makeFolder('golden');
  try {
    const file = await folder.write('set.jsonl', '\n');
    const { thrown } = await ran(goldenCommand(), 'import', file, ...NOBODY);
    expect(thrown).toMatchObject({ message: `${file} has no case`, exitCode: EXIT.input });
  } finally {
    await folder.remove();
  }
});

test.each(['0', '101', 'x'])('from-log --first %s is refused', async (first) => {
  const command = goldenCommand();
  for (const one of command.commands) one.exitOverride();
  const { thrown, err } = await ran(command, 'from-log', 'set', '--first', first, ...NOBODY);
  expect(thrown).toMatchObject({ code: 'commander.invalidArgument' });
  expect(err).toContain('must be a whole number from 1 to 100');
});
