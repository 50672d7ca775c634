import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { templateCommand } from '../../../src/cli/template.js';
import { EXIT } from '../../../src/domain/exit-codes.js';
import { ran } from '../../support/command.js';
import { makeFolder } from '../../support/folder.js';

test('a template does not replace a workbook that is filled in', async () => {
  const folder = await makeFolder('template');
  try {
    const file = await folder.write('mistakes.xlsx', 'filled in');
    expect((await ran(templateCommand(), file)).thrown).toMatchObject({
      message: `${file} exists already: remove it, or name another file`,
      exitCode: EXIT.output,
    });
    expect(await readFile(file, 'utf8')).toBe('filled in');
    expect((await ran(templateCommand(), `${folder.path}/new.xlsx`)).thrown).toBeNull();
  } finally {
    await folder.remove();
  }
});
