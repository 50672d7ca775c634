import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { EXIT, EXIT_MEANINGS, exitCodeOf } from '../../../src/domain/exit-codes.js';
import { lockDataDir } from '../../../src/runtime/embedded/data-lock.js';
import { errata } from '../../support/errata.js';
import { type Folder, makeFolder } from '../../support/files.js';
import { type HttpServer, startHttpServer } from '../../support/http-server.js';

/**
 * A gateway that answers every operation as the path of its address says: with an error of this code, with none, or
 * with a page.
 */
let server: HttpServer;
let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
  server = await startHttpServer((request, response) => {
    request.resume();
    const code = request.url?.split('/')[1] ?? '';
    if (code === 'PAGE') return void response.end('<html>');
    const error = { message: 'it is refused', extensions: { code } };
    response.end(JSON.stringify(code === 'OK' ? { data: { goldenSets: [], deleted: false } } : { errors: [error] }));
  });
});
afterAll(async () => {
  await server.close();
  await folder.remove();
});

const urlOf = (code: string): string => `${server.url}/${code}/`;
const asked = (code: string): readonly string[] => ['golden', 'list', '--url', urlOf(code)];

describe('a command ends with', () => {
  test.each([
    ['ok', 'it is done', () => asked('OK')],
    ['ok', 'its version is asked for', () => ['--version']],
    ['failed', 'what it names is unknown', () => ['golden', 'delete', 'x', '--url', urlOf('OK')]],
    ['usage', 'there is no such command', () => ['exprot']],
    ...['golden', 'profiles', 'attempts', 'keys', 'models'].map(
      (command) => ['usage', `${command} has no such subcommand`, () => [command, 'exprot']] as const,
    ),
    ['usage', 'an argument is missing', () => ['import']],
    ['usage', 'a subcommand has no such option', () => ['golden', 'list', '--all']],
    ['input', 'a file is missing', () => ['profiles', 'save', join(folder.path, 'missing.json')]],
    ['input', 'a file holds something else', () => ['golden', 'import', join(packageRoot(), 'package.json')]],
    ['unavailable', 'nobody listens', () => ['golden', 'list', '--url', 'http://127.0.0.1:1']],
    ['unavailable', 'something else listens', () => asked('PAGE')],
    ['software', 'the gateway failed', () => asked('INTERNAL')],
    ['output', 'a file cannot be written', () => ['template', '/dev/null/mistakes.xlsx']],
    ['retry', 'it asks too often', () => asked('RATE_LIMITED')],
    ['permission', 'nobody knows who asks', () => asked('UNAUTHENTICATED')],
  ] as const)('the code of %s where %s', async (name, _where, args) => {
    const { code, err } = await errata(args());
    expect({ code, err }).toEqual({
      code: EXIT[name],
      err: name === 'ok' ? '' : expect.stringMatching(/^error|^errata/),
    });
    expect(err.trim().split('\n').length).toBeLessThanOrEqual(2);
  });

  test('the usage code and the list of commands if no command is given', async () => {
    const { code, out, err } = await errata([]);
    expect({ code, out }).toEqual({ code: EXIT.usage, out: '' });
    for (const name of ['import', 'models', 'doctor']) expect(err).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  test.each([
    ['doctor', 'PORT', 'x'],
    ['models list', 'HF_ENDPOINT', 'hub'],
  ])('the configuration code and one line if %s runs with a wrong %s', async (command, setting, value) => {
    const { code, err } = await errata(command.split(' '), { [setting]: value });
    expect(code).toBe(EXIT.configuration);
    expect(err).toMatch(new RegExp(`^errata: the settings are not usable: ${setting}: .*\\n$`));
  });

  test('the retry code if another gateway uses the data directory', async () => {
    const lock = await lockDataDir(folder.path);
    try {
      expect((await errata(['golden', 'list'], { DATA_DIR: folder.path })).code).toBe(EXIT.retry);
    } finally {
      await lock.release();
    }
  });
});

describe('the table of exit codes', () => {
  test('is shown by the help', async () => {
    const { out } = await errata(['--help']);
    for (const [code, meaning] of Object.entries(EXIT_MEANINGS)) expect(out).toContain(` ${code}  ${meaning}\n`);
  });

  test.each(['docs/command-line.md', 'docs/zh-CN/command-line.md'])('is documented in %s', async (file) => {
    const text = await readFile(join(packageRoot(), file), 'utf8');
    const shown = [...text.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(shown).toEqual(Object.keys(EXIT_MEANINGS).map(Number));
  });

  test.each([
    ['BAD_USER_INPUT', EXIT.failed],
    ['NOT_FOUND', EXIT.failed],
    ['CONFLICT', EXIT.failed],
    ['UNAUTHENTICATED', EXIT.permission],
    ['FORBIDDEN', EXIT.permission],
    ['RATE_LIMITED', EXIT.retry],
    ['UNAVAILABLE', EXIT.unavailable],
    ['RESOURCE_EXHAUSTED', EXIT.unavailable],
    ['DEADLINE_EXCEEDED', EXIT.unavailable],
    ['INTERNAL', EXIT.software],
    ['toString', EXIT.failed],
  ])('has an exit code for %s of the API', (code, expected) => {
    expect(exitCodeOf(code)).toBe(expected);
  });
});
