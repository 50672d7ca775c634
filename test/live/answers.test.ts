/** The command line of the tutor, against a gateway whose chat model is scripted. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleNotebook } from '../../bench/card-files.js';
import { packageRoot } from '../../src/config/package-root.js';
import { type ChatServer, startChatServer, streamed } from '../support/chat-server.js';
import { errata, errataInTime } from '../support/errata.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { createAll, indexed } from '../support/notebook.js';

let chat: ChatServer;
let gateway: Gateway;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'errata-answers-'));
  chat = await startChatServer();
  gateway = await startGateway({ env: { CHAT_BASE_URL: chat.url, CHAT_MODEL: 'scripted' } });
  await createAll(gateway, await sampleNotebook());
  await indexed(gateway);
});
afterAll(async () => {
  await gateway.close();
  await chat.close();
  await rm(folder, { recursive: true, force: true });
});

test('evaluate-answers prints every metric, and writes a page and the answers', async () => {
  const cases = [
    { id: 'gone', cardId: 'gone', mode: 'EXPLAIN', evidence: 'ENOUGH' },
    { id: 'good', cardId: 'sample-zh-002', mode: 'EXPLAIN', evidence: 'ENOUGH' },
    { id: 'leak', cardId: 'sample-zh-002', mode: 'HINT_1', evidence: 'ENOUGH' },
    { id: 'none', text: '唐朝的首都在哪里', mode: 'EXPLAIN', evidence: 'NONE' },
  ];
  const file = join(folder, 'cases.jsonl');
  await writeFile(file, cases.map((one) => JSON.stringify(one)).join('\n'));
  chat.script(
    streamed(['两端都种，棵数比间隔数多 1 [S1]。<script>alert(1)</script>']),
    streamed(['要种 21 棵。']),
    streamed(['想一想间隔数和棵数 [S1]。']),
  );
  const [page, json] = [join(folder, 'report.html'), join(folder, 'answers.json')];
  const { code, out, err } = await errata(
    ['evaluate-answers', file, '--url', gateway.url, '--report', page, '--json', json],
    {},
  );
  expect(code, err).toBe(0);
  expect(out).toMatch(/citation precision +\d/);
  expect(out).toMatch(/refusal recall, labelled NONE +1\.000 \[1\.000, 1\.000\] {2}1 answers/);
  expect(out).toMatch(/leak rate of hints that were shown +0\.000/);
  expect(out).toMatch(/first hints that the guard held back +1\.000/);
  const html = await readFile(page, 'utf8');
  expect(html).toContain('&lt;script&gt;alert(1)');
  expect(html).not.toContain('<script>');
  const { measured } = JSON.parse(await readFile(json, 'utf8')) as {
    measured: { answer: { id: string; refusal: string; failure: string } }[];
  };
  expect(measured.map(({ answer }) => [answer.id, answer.refusal, answer.failure])).toEqual([
    ['gone', null, 'NOT_FOUND'],
    ['good', null, null],
    ['leak', null, null],
    ['none', 'NO_EVIDENCE', null],
  ]);
  expect(err).toContain('gone: NOT_FOUND: no card with the id "gone"');
});

test('evaluate-answers --from mathdial creates cards from the questions', async () => {
  const file = join(folder, 'mathdial.jsonl');
  const dialogue = {
    qid: 1,
    question: 'Tom has 40 zebras and buys 2.',
    ground_truth: 'He has 42.',
    student_incorrect_solution: '38',
  };
  await writeFile(file, `${JSON.stringify(dialogue)}\n`);
  chat.script(streamed(['Does he have more or fewer zebras than before [S1]?']));
  const { code, out } = await errata(['evaluate-answers', file, '--from', 'mathdial', '--url', gateway.url], {});
  expect(code).toBe(0);
  expect(out).toMatch(/leak rate of hints that were shown +0\.000/);
  expect(JSON.stringify(chat.requests)).toContain('40 zebras');
});

test('context prints a prompt, and with --json the response of POST /context', async () => {
  const asked = ['context', 'sample-zh-002', '--card', '--mode', 'DIAGNOSE', '--url', gateway.url];
  const { code, out, err } = await errataInTime(asked);
  expect(code).toBe(0);
  expect(out).toContain('## [S1]');
  expect(err).toMatch(/^ENOUGH: .* \(\d+ tokens\)$/m);
  const json = JSON.parse((await errataInTime([...asked, '--json'])).out) as { prompt: string };
  expect(json.prompt).toBe(out.trimEnd());
  expect((await errata(['context', 'no-card', '--card', '--url', gateway.url], {})).code).toBe(1);
});

test('docs/tutoring.md shows a whole streamed answer as it was sent', async () => {
  const page = await readFile(join(packageRoot(), 'docs', 'tutoring.md'), 'utf8');
  const query = /```graphql\n(subscription[\s\S]*?)```/.exec(page)?.[1];
  chat.script(streamed(['两端都', '种时，间隔数和棵', '数一样多吗 [S', '1]？先画 3 个间隔', '数一数 [S3][S42]。'], 40));
  const response = await fetch(`${gateway.url}/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query }),
  });
  const events = (await response.text()).trim();
  expect(/<!-- stream -->\n```\n([\s\S]*?)\n```\n<!-- \/stream -->/.exec(page)?.[1]).toBe(events);
});
