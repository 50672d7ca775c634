import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exportCommand } from '../../../src/cli/export.js';
import { EXIT } from '../../../src/domain/exit-codes.js';
import { ran } from '../../support/command.js';
import { type Folder, makeFolder } from '../../support/folder.js';
import { type HttpServer, startHttpServer } from '../../support/http-server.js';

let folder: Folder;
let gateway: HttpServer;
let asked: object[];
/** Number of cards that are due, and that searches find. */
let due: number;
/** Of the class, those that a search finds, and the rungs of a ladder by the card that it is for. */
let questions: readonly object[];
let found: readonly object[];
let rungs: Readonly<Record<string, readonly object[]>>;
let isEmpty: boolean;
/** As a proxy does for an expired session. */
let loggedOut: 'redirection' | 'page' | null;

const asking = (id: string, questionText = `Question ${id}?`, choices: readonly string[] = []) => ({
  card: { id, questionText, choices },
});

beforeEach(async () => {
  folder = await makeFolder('export');
  asked = [];
  due = 50;
  questions = [asking('a')];
  found = [asking('a')];
  rungs = {};
  isEmpty = false;
  loggedOut = null;
  gateway = await startHttpServer(async (request, response) => {
    if (request.method === 'GET') return void response.end('<html>Log in</html>');
    if (loggedOut === 'redirection') return void response.writeHead(302, { location: '/login' }).end();
    if (loggedOut === 'page') return void response.end('<html>Log in</html>');
    const sent = (await json(request)) as { readonly variables?: { readonly fromCardId?: string } };
    asked.push(sent);
    const cards = [asking('a')];
    const dueCards = { nodes: cards, totalCount: due };
    const data = {
      dueCards,
      found: { hits: found, pageInfo: { hasNextPage: due > 1 } },
      practiceLadder: { rungs: rungs[sent.variables?.fromCardId ?? ''] ?? cards },
      viewer: { ownerId: 'tina' },
      mistakeFingerprint: { mostWorth: [{ cards: [asking('a').card] }] },
      classOverview: { minStudents: 3, questions },
    };
    if (request.url === '/export') response.setHeader('content-disposition', 'attachment');
    if (request.url === '/export' && isEmpty) response.setHeader('x-errata-empty', 'true');
    response.end(request.url === '/export' ? 'file' : JSON.stringify({ data }));
  });
});
afterEach(async () => {
  await gateway.close();
  await folder.remove();
});

function exported(name: string, ...options: readonly string[]) {
  return ran(exportCommand(), join(folder.path, name), ...options, '--url', gateway.url);
}

test.each([
  [['--due', '--topic', 'x'], '--due and --topic cannot be combined'],
  [['--due', '--search', 'x'], '--filter and --search cannot be combined with --due'],
  [['--due', '--by', 'byError'], '--by needs --search'],
  [['--class', '6a', '--diversity', '0.5'], '--diversity needs --search'],
  [['--class', '6a', '--top', '5'], '--top needs --search, --due or a ladder'],
  [['--ladder', 'a', '--top', '50'], '--top: a ladder has at most 30 cards'],
  [['--with-siblings', '2'], '--with-siblings needs --search'],
  [['--due', '--top', '50', '--with-siblings', '10'], 'up to 550 cards, of which 500 fit'],
  [['--embed-files'], '--embed-files is for JSON Lines only'],
  [['--title', 'x'], '--title is for papers only'],
])('%j is refused before a gateway is asked', async (options, problem) => {
  const { thrown } = await exported('cards.csv', ...options);
  expect(thrown).toMatchObject({ message: expect.stringContaining(problem), exitCode: EXIT.usage });
  expect(asked).toEqual([]);
});

test.each(['cards.anki.txt', 'cards.ANKI'])('%s is a file for Anki', async (name) => {
  expect((await exported(name, '--topic', 'x', '--top', '30')).thrown).toBeNull();
  expect(asked[0]).toMatchObject({ variables: { topicTag: 'x', first: 30 } });
  expect(asked.at(-1)).toMatchObject({ format: 'anki', cardIds: ['a'] });
  expect(await readFile(join(folder.path, name), 'utf8')).toBe('file');
});

test.each([
  ['class.html', { withoutMistakes: true }],
  ['class.md', { withoutMistakes: true }],
  ['class.anki', { withoutMistakes: true }],
  ['class.csv', {}],
])(
  'the questions of a class in %s are without the mistakes of single students, unless it is a table',
  async (name, said) => {
    expect((await exported(name, '--class', '6a')).thrown).toBeNull();
    expect(asked[1]).toEqual({ format: name.slice(6), cardIds: ['a'], language: 'en', ...said });
  },
);

test('a question that several cards have is once on a paper, also among the similar cards, but not in other files', async () => {
  const choices = ['one', 'two'];
  questions = [
    asking('amys', 'Calculate $\\frac{1}{2}+\\frac{1}{3}$.'),
    asking('bens', 'Calculate 1/2 + 1/3.'),
    asking('other', 'Which?', choices),
  ];
  rungs = {
    amys: [asking('cats', 'Which?', [...choices].reverse()), asking('s1'), asking('s2'), asking('s3')],
    other: [asking('dans', 'Calculate 1/2+1/3.'), asking('s4', 'Question s1?'), asking('s5')],
  };
  expect((await exported('class.html', '--class', '6a', '--with-siblings', '2')).thrown).toBeNull();
  expect(asked.at(-1)).toMatchObject({ cardIds: ['amys', 's1', 's2', 'other', 's5'] });
  found = questions;
  expect((await exported('search.html', '--search', '1/2')).thrown).toBeNull();
  expect(asked.at(-1)).toMatchObject({ cardIds: ['amys', 'other'] });
  for (const choice of [
    ['--class', '6a'],
    ['--search', '1/2'],
  ]) {
    for (const name of ['all.csv', 'all.anki']) {
      expect((await exported(name, ...choice)).thrown).toBeNull();
      expect(asked.at(-1)).toMatchObject({ cardIds: ['amys', 'bens', 'other'] });
    }
  }
});

test.each([
  [['--fingerprint', 'amy', '--with-siblings', '3'], 'amy'],
  [['--fingerprint'], 'tina'],
  [['--due'], 'tina'],
  [['--ladder', 'b'], 'tina'],
  [['--search', 'x', '--with-siblings', '3'], 'tina'],
  [['--search', 'x'], undefined],
])('a paper to practise has the mistakes of no other student: %j', async (options, student) => {
  for (const name of ['paper.html', 'paper.md', 'paper.anki']) {
    expect((await exported(name, ...options)).thrown).toBeNull();
    expect((asked.at(-1) as { mistakesOf?: string }).mistakesOf).toBe(student);
  }
  expect((await exported('table.csv', ...options)).thrown).toBeNull();
  expect(asked.at(-1)).not.toHaveProperty('mistakesOf');
});

test('cards that are left out because of --top are reported', async () => {
  expect(await exported('due.csv', '--due', '--top', '1')).toMatchObject({
    thrown: null,
    err: '1 of 50 due cards are written (--top)\n',
  });
  expect(await exported('found.csv', '--search', 'x', '--top', '1')).toMatchObject({
    thrown: null,
    err: 'the search found more than 1 cards: the best 1 are written (--top)\n',
  });
  due = 1;
  for (const options of [['--due'], ['--search', 'x']]) expect((await exported('all.csv', ...options)).err).toBe('');
});

test('a class without a question is told how many students it takes', async () => {
  questions = [];
  expect(await exported('class.html', '--class', '6a')).toMatchObject({
    thrown: { message: 'no card to practise was found: nothing is written', exitCode: EXIT.failed },
    err: 'questions that fewer than 3 students got wrong are left out\n',
  });
});

test.each([
  [[], 'there are no cards: nothing is written'],
  [['--filter', '{"owners":["nobody"]}'], 'no card matches the filter: nothing is written'],
])('an export %j of no card keeps the file that is there', async (options, message) => {
  const file = join(folder.path, 'cards.jsonl');
  await writeFile(file, 'earlier');
  isEmpty = true;
  const { thrown } = await exported('cards.jsonl', ...options);
  expect(thrown).toMatchObject({ message, exitCode: EXIT.failed });
  expect(await readFile(file, 'utf8')).toBe('earlier');
});

test.each(['redirection', 'page'] as const)(
  'the %s of a proxy to log in keeps the file that is there',
  async (answer) => {
    const file = join(folder.path, 'cards.jsonl');
    await writeFile(file, 'earlier');
    loggedOut = answer;
    const message = `the server at ${gateway.url} is not an Errata gateway`;
    expect((await exported('cards.jsonl')).thrown).toMatchObject({ message, exitCode: EXIT.unavailable });
    expect(await readFile(file, 'utf8')).toBe('earlier');
  },
);

test.each(['zh', 'ZH'])(
  'a search is asked with the languages of the filter as the API writes them: %s',
  async (one) => {
    await exported('found.csv', '--search', 'x', '--filter', JSON.stringify({ languages: [one], hasSolution: true }));
    expect(asked[0]).toMatchObject({ variables: { filter: { languages: ['ZH'], hasSolution: true } } });
  },
);

test('another extension is refused with those that are known', async () => {
  const { thrown } = await exported('cards.txt');
  expect(thrown).toMatchObject({ message: expect.stringContaining('.html, .anki.txt, or'), exitCode: EXIT.usage });
});
