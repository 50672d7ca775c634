import { expect, test } from 'vitest';
import { readText } from '../../../src/cli/read-file.js';
import { EXIT } from '../../../src/domain/exit-codes.js';
import { folderOfFile } from '../../support/folder.js';

const folder = await folderOfFile('read-file');

test('a file of an option is read without its byte order mark', async () => {
  expect(await readText(await folder.write('utf-8.json', '\ufeff{"题目": 1}'))).toBe('{"题目": 1}');
});

test.each([
  ['GB18030', Buffer.from([0xcc, 0xe2, 0xc4, 0xbf])],
  ['UTF-16', Buffer.from('\ufeff题目', 'utf16le')],
])('one in %s is refused', async (encoding, bytes) => {
  const file = await folder.write(`${encoding}.json`, bytes);
  await expect(readText(file)).rejects.toMatchObject({
    message: `${file} cannot be read: it is not valid UTF-8: save it as UTF-8`,
    exitCode: EXIT.input,
  });
});
