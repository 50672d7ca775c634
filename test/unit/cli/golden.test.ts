import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { goldenCommand } from '../../../src/cli/golden.js';
import { EXIT } from '../../../src/domain/exit-codes.js';
import { ran } from '../../support/command.js';
import { makeFolder } from '../../support/folder.js';
import { startHttpServer } from '../../support/http-server.js';

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

test.each(['zh', 'ZH'])('the languages of a filter are sent as the API writes them: %s', async (language) => {
  const folder = await makeFolder('golden');
  let sent: unknown;
  const gateway = await startHttpServer(async (request, response) => {
    sent = await json(request);
    response.end('{"data":{}}');
  });
  try {
    const one = { id: 'q', operation: 'byError', text: 'x', filter: { languages: [language], grades: ['G6'] } };
    const file = await folder.write('set.jsonl', JSON.stringify(one));
    expect((await ran(goldenCommand(), 'import', file, '--url', gateway.url)).thrown).toBeNull();
    expect(sent).toMatchObject({
      variables: { input: { cases: [{ id: 'q', filter: { languages: ['ZH'], grades: ['G6'] } }] } },
    });
  } finally {
    await gateway.close();
    await folder.remove();
  }
});

test.each([
  ['--first', '0', 'must be a whole number from 1 to 100'],
  ['--first', '101', 'must be a whole number from 1 to 100'],
  ['--first', 'x', 'must be a whole number from 1 to 100'],
  ['--after', 'yesterday', 'must be a date, such as 2026-09-01'],
  ['--after', '2026-13-45', 'must be a date, such as 2026-09-01'],
])('from-log %s %s is refused', async (option, value, reason) => {
  const command = goldenCommand();
  for (const one of command.commands) one.exitOverride();
  const { thrown, err } = await ran(command, 'from-log', 'set', option, value, ...NOBODY);
  expect(thrown).toMatchObject({ code: 'commander.invalidArgument' });
  expect(err).toContain(reason);
});

test('from-log stops between two cases', async () => {
  const adding: string[] = [];
  const zeroResultSearches = ['a', 'b', 'c'].map((text) => ({
    operation: 'byError',
    text,
    searches: 1,
    lastAt: '2026-01-02T00:00:00.000Z',
  }));
  const goldenSet = { goldenCases: { nodes: [], pageInfo: { hasNextPage: false } } };
  const gateway = await startHttpServer(async (request, response) => {
    const { query, variables } = (await json(request)) as { query: string; variables: { case: { text: string } } };
    if (query.includes('addGoldenCase(')) {
      adding.push(variables.case.text);
      process.emit('SIGINT', 'SIGINT');
    }
    response.end(JSON.stringify({ data: { zeroResultSearches, goldenSet } }));
  });
  const { thrown } = await ran(goldenCommand(), 'from-log', 'set', '--url', gateway.url);
  await gateway.close();
  expect(thrown).toMatchObject({ name: 'StoppedError', by: 'SIGINT' });
  expect(adding).toEqual(['a']);
});
