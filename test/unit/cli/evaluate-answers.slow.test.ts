import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { COMMAND_OPERATIONS } from '../../../src/access/command-operations.js';
import { evaluateAnswersCommand } from '../../../src/cli/evaluate-answers.js';
import { EXIT } from '../../../src/domain/exit-codes.js';
import { ran } from '../../support/command.js';
import { type Folder, makeFolder } from '../../support/folder.js';
import { type HttpServer, startHttpServer } from '../../support/http-server.js';

interface Asked {
  readonly query: string;
  readonly variables: { readonly input: { readonly id: string; readonly cardId: string | null } };
}

let folder: Folder;
let gateway: HttpServer;
/** Events of each answer. */
let events: readonly object[];
/** Failed cards of the notebook, before and after the first card is created. */
let failed: readonly [number, number];
let asked: Asked[];
/** Codes with which the first questions are refused. */
let refusals: string[];
beforeEach(async () => {
  events = [{ __typename: 'TutorDelta', text: 'Is it' }];
  failed = [0, 0];
  asked = [];
  refusals = [];
  folder = await makeFolder('answers');
  gateway = await startHttpServer(async (request, response) => {
    const one = (await json(request)) as Asked;
    asked.push(one);
    if (request.url === '/graphql/stream') {
      const code = refusals.shift();
      const results =
        code === undefined
          ? events.map((tutor) => ({ data: { tutor } }))
          : [{ data: null, errors: [{ message: 'not now', extensions: { code } }] }];
      const lines = results.map((result) => `event: next\ndata: ${JSON.stringify(result)}\n\n`);
      return void response.end(`${lines.join('')}event: complete\ndata:\n\n`);
    }
    const isLater = asked.some(({ query }) => query.includes('createCard'));
    const indexStatus = { pending: 0, failed: failed[isLater ? 1 : 0] };
    response.end(JSON.stringify({ data: { indexStatus, createCard: { id: 'c' } } }));
  });
});
afterEach(async () => {
  await gateway.close();
  await folder.remove();
});

function evaluated(file: string, ...options: readonly string[]) {
  return ran(evaluateAnswersCommand(), file, ...options, '--url', gateway.url);
}

const CASE = '{"id":"one","text":"why"}';

test.each([
  ['TutorDone', { answerTokens: 2, wasAskedAgain: false }, 'answered', 0],
  ['TutorRefused', { refusal: 'LEAK' }, 'LEAK', 0],
  ['TutorFailed', { errorCode: 'UNAVAILABLE', message: 'chat is away' }, 'UNAVAILABLE: chat is away', EXIT.failed],
  ['TutorDelta', { text: ' 5' }, 'INCOMPLETE', EXIT.failed],
])(
  'an answer whose last event is %s is told by it, and fails the command if it is a failure and there is no other',
  async (__typename, fields, outcome, exitCode) => {
    events = [...events, { __typename, ...fields }];
    const ended = await evaluated(await folder.write('cases.jsonl', CASE));
    expect(ended).toMatchObject({ err: `1 of 1: one: ${outcome}\n`, thrown: null, exitCode });
  },
);

test.each(['RATE_LIMITED', 'UNAVAILABLE', 'RESOURCE_EXHAUSTED', 'DEADLINE_EXCEEDED'])(
  'a question that is refused with %s is asked again',
  async (code) => {
    refusals = [code];
    events = [...events, { __typename: 'TutorDone', answerTokens: 2, wasAskedAgain: false }];
    const { err, thrown } = await evaluated(await folder.write('cases.jsonl', CASE));
    expect({ err, thrown }).toEqual({ err: 'one: not now; asking again\n1 of 1: one: answered\n', thrown: null });
  },
);

test('a question that is refused for another reason ends the command with that code', async () => {
  refusals = ['FORBIDDEN'];
  const { thrown } = await evaluated(await folder.write('cases.jsonl', CASE));
  expect(thrown).toMatchObject({ message: 'not now', code: 'FORBIDDEN' });
  expect(asked).toHaveLength(1);
});

test.each(['NOT_FOUND', 'BAD_USER_INPUT'])('a case that is refused with %s lets the others continue', async (code) => {
  refusals = [code];
  events = [...events, { __typename: 'TutorDone', answerTokens: 2, wasAskedAgain: false }];
  const file = await folder.write('cases.jsonl', `${CASE}\n{"id":"two","text":"how"}`);
  const { err, thrown, exitCode } = await evaluated(file);
  expect({ err, thrown, exitCode }).toEqual({
    err: `1 of 2: one: ${code}: not now\n2 of 2: two: answered\n`,
    thrown: null,
    exitCode: 0,
  });
});

test.each([
  ['cases.jsonl', '\n', []],
  ['mathdial.jsonl', '\n', ['--from', 'mathdial']],
  ['mrbench.json', '[]', ['--from', 'mrbench']],
])('a file without a case is refused: %s', async (name, text, options) => {
  const file = await folder.write(name, text);
  const { thrown } = await evaluated(file, ...options);
  expect(thrown).toMatchObject({ message: `${file} has no case`, exitCode: EXIT.input });
  expect(asked).toEqual([]);
});

test('a wrong case is named by its line in the file', async () => {
  const { thrown } = await evaluated(await folder.write('cases.jsonl', `${CASE}\n\n\n{"id":""}`));
  expect(thrown?.message).toContain('cases.jsonl: line 4');
});

const DIALOGUES = [1, 2].map((place) =>
  JSON.stringify({ qid: 7, question: `Q${place}`, ground_truth: 'A', student_incorrect_solution: 'B' }),
);

test('the first dialogue of a question becomes its card', async () => {
  await evaluated(await folder.write('dialogues.jsonl', DIALOGUES.join('\n')), '--from', 'mathdial');
  const created = asked.filter(({ query }) => query.includes('createCard')).map(({ variables }) => variables.input);
  expect(created).toEqual([expect.objectContaining({ questionText: 'Q1' })]);
  // A gateway with an OPERATIONS_FILE accepts no other.
  const listed: readonly string[] = Object.values(COMMAND_OPERATIONS);
  expect(asked.filter(({ query }) => !listed.includes(query))).toEqual([]);
});

test('cards that could not be indexed before do not matter, and new ones end the command', async () => {
  const file = await folder.write('dialogues.jsonl', DIALOGUES.join('\n'));
  const json = join(folder.path, 'answers.json');
  failed = [2, 2];
  expect(await evaluated(file, '--from', 'mathdial', '--json', json)).toMatchObject({ thrown: null });
  expect(JSON.parse(await readFile(json, 'utf8'))).toMatchObject({ measured: [{ answer: { id: 'mathdial-7' } }] });
  asked = [];
  failed = [2, 3];
  expect((await evaluated(file, '--from', 'mathdial')).thrown).toMatchObject({
    message: '1 cards could not be indexed: the log of the gateway says why',
    exitCode: EXIT.failed,
  });
});
