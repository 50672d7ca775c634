import { setMaxListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatEnd } from '../../../src/domain/ports/chat.js';
import { type ChatTiming, EndpointChat } from '../../../src/models/chat.js';
import { answerEvents, type ChatServer, packetsOf, startChatServer, streamed } from '../../support/chat-server.js';

let server: ChatServer;
beforeAll(async () => {
  server = await startChatServer();
});
afterAll(() => server.close());

const TIMING: ChatTiming = { pauseMs: 1, firstMs: 10_000, idleMs: 10_000, answerMs: 20_000 };
const REQUEST = { messages: [{ role: 'user' as const, content: 'help' }], maxTokens: 200 };

async function ask(
  timing: Partial<ChatTiming> = {},
  signal = new AbortController().signal,
): Promise<{ readonly text: string; readonly end: ChatEnd }> {
  const chat = new EndpointChat('qwen-plus', { baseUrl: server.url, apiKey: 'sk-secret' }, { ...TIMING, ...timing });
  const pieces = chat.stream(REQUEST, signal);
  let text = '';
  for (;;) {
    const next = await pieces.next();
    if (next.done) return { text, end: next.value };
    text += next.value;
  }
}

const ANSWER = ['先', '通分 😀：', '$\\frac{3}{4}', '$，见 [S1]。'];

describe('an answer', () => {
  test.each([1, 2, 3, 7, 64, 100_000])('is assembled from packets of %i bytes', async (size) => {
    server.script(streamed(ANSWER, size));
    expect(await ask()).toEqual({ text: ANSWER.join(''), end: 'STOP' });
    expect(server.requests).toEqual([
      {
        model: 'qwen-plus',
        messages: REQUEST.messages,
        max_tokens: 200,
        stream: true,
        authorization: 'Bearer sk-secret',
      },
    ]);
  });

  test.each(['', null])('may have the finish reason %j in each part before the last one', async (reason) => {
    const part = (content: string, finish_reason: string | null): Uint8Array =>
      Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason }] })}\n\n`);
    const packets = [...ANSWER.map((text) => part(text, reason)), part('', 'stop')];
    server.script({ kind: 'stream', packets });
    expect(await ask()).toEqual({ text: ANSWER.join(''), end: 'STOP' });
  });

  test('reports that it was truncated by the token limit', async () => {
    server.script(streamed(ANSWER, 64, 'length'));
    expect((await ask()).end).toBe('LENGTH');
  });

  test('reports that it was cut off by a content filter', async () => {
    server.script(streamed(ANSWER, 64, 'content_filter'));
    expect((await ask()).end).toBe('FILTERED');
  });

  test('may end by [DONE] alone, and may have events without any choice', async () => {
    const events = `${answerEvents(['a'], null)}data: {"choices":[],"usage":{"total_tokens":3}}\n\n: ping\n\ndata: [DONE]\n\n`;
    server.script({ kind: 'stream', packets: packetsOf(events, 10) });
    expect(await ask()).toEqual({ text: 'a', end: 'STOP' });
  });

  test.each([
    ['I think it is 42.</th', 'ink>\n\nLook again.'],
    ['<think>42</think>Look', ' again.<think>or 43</think>'],
  ])('fails if the model has written thoughts in it that cannot be told apart: %s', async (...pieces) => {
    server.script(streamed(pieces, 5));
    await expect(ask()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('reasoning parser'),
    });
  });

  test("omits the model's thoughts before it", async () => {
    server.script(streamed(['<thi', 'nk>the answer is 42</th', 'ink>\n\nLook ', 'again.'], 5));
    expect((await ask()).text).toBe('Look again.');
    server.script(streamed(['\n</thi', 'nk>\n\nLook again.'], 5));
    expect((await ask()).text).toBe('Look again.');
    server.script(streamed(['<thin', ' air'], 5));
    expect((await ask()).text).toBe('<thin air');
  });
});

describe('transient failures are retried before the first token', () => {
  test.each([
    ['429', { kind: 'refuse', status: 429, retryAfter: '0' }],
    ['500', { kind: 'refuse', status: 500, body: 'oops' }],
    ['503', { kind: 'refuse', status: 503 }],
  ] as const)('%s', async (_name, refusal) => {
    server.script(refusal, refusal, streamed(ANSWER));
    expect((await ask()).text).toBe(ANSWER.join(''));
    expect(server.requests).toHaveLength(3);
  });

  test('but at most twice', async () => {
    const busy = { kind: 'refuse', status: 429 } as const;
    server.script(busy, busy, busy, streamed(ANSWER));
    await expect(ask()).rejects.toMatchObject({ code: 'UNAVAILABLE', part: 'chat' });
    expect(server.requests).toHaveLength(3);
  });

  test.each([400, 401, 404])('but %i fails at once, with an error without the key', async (status) => {
    server.script({ kind: 'refuse', status, body: 'the key sk-secret is no good' }, streamed(ANSWER));
    const problem = await ask().catch((thrown: Error) => thrown);
    expect(problem).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(`answered ${status}: .*\\*\\*\\*`),
    });
    expect(String(problem)).not.toContain('sk-secret');
    expect(server.requests).toHaveLength(1);
  });

  test('a refused connection is transient, too', async () => {
    const chat = new EndpointChat('m', { baseUrl: 'http://127.0.0.1:1/v1', apiKey: null }, TIMING);
    await expect(chat.stream(REQUEST, new AbortController().signal).next()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });
});

describe('an incomplete answer is UNAVAILABLE', () => {
  test.each([
    ['cut in the middle', { kind: 'cut', packets: packetsOf(answerEvents(ANSWER, null), 50) }, {}],
    ['ended in the middle', streamed(ANSWER, 50, null), {}],
    ['silent in the middle', { kind: 'hang', packets: packetsOf(answerEvents(ANSWER, null), 50) }, { idleMs: 400 }],
    ['silent from the beginning', { kind: 'hang', packets: [] }, { firstMs: 400 }],
    ['never at its end', { kind: 'hang', packets: packetsOf(answerEvents(ANSWER, null), 50) }, { answerMs: 400 }],
    ['no chat format', { kind: 'stream', packets: packetsOf('data: <html>\n\n', 50) }, {}],
    [
      'an error in the middle',
      { kind: 'stream', packets: packetsOf('data: {"error":{"message":"no memory"}}\n\n', 50) },
      {},
    ],
    [
      'far too long',
      streamed(
        Array.from({ length: 50 }, () => 'x'.repeat(100)),
        4_000,
      ),
      {},
    ],
  ] as const)('%s', async (_name, step, timing) => {
    server.script(step);
    await expect(ask(timing)).rejects.toMatchObject({ code: 'UNAVAILABLE', part: 'chat' });
    expect(server.requests).toHaveLength(1);
  });
});

describe('an answer that is no stream of events keeps the message of the endpoint', () => {
  test.each([
    ['a page', '<html>\n  <body>Sign in sk-secret</body>', 'event stream: <html> <body>Sign in ***</body>'],
    ['an error', '{"error":{"message":"quota exhausted"}}', 'event stream: {"message":"quota exhausted"}'],
    ['an error in the stream', 'data: {"error":{"message":"no memory"}}\n\n', 'error: {"message":"no memory"}'],
    ['nothing', '', 'ended before the answer was complete'],
    ['a comment', ': OPENROUTER PROCESSING\n\n', 'ended before the answer was complete'],
    ['a cut event', 'data: {"choi', 'ended before the answer was complete'],
  ])('%s', async (_name, body, message) => {
    server.script({ kind: 'stream', packets: packetsOf(body, 7) });
    const problem: Error = await ask().then(
      () => new Error('an answer'),
      (thrown: Error) => thrown,
    );
    expect(problem).toMatchObject({ code: 'UNAVAILABLE', part: 'chat' });
    expect(problem.message).toContain(message);
  });

  test.each([
    '{"choices":[{"message":{"content":"x is 42"},"finish_reason":"stop"}]}',
    'data: {"choices":[{"delta":{"content":["x is 42"]}}]}\n\n',
    '{"statusCode":200,"body":"{\\"choices\\":[{\\"message\\":{\\"content\\":\\"x is 42\\"}}]}"}',
    '{"model":"q","message":{"content":"x is 42"}}',
    'data: x is 42\n\n',
    'x is 42',
    '<think>x is 42',
  ])('but no text of the model, which no guard has read: %s', async (body) => {
    server.script({ kind: 'stream', packets: packetsOf(body, 7) });
    const problem = await ask().catch((thrown: Error) => thrown);
    expect(problem).toMatchObject({ code: 'UNAVAILABLE', part: 'chat' });
    expect(String(problem)).not.toContain('x is');
  });
});

test('an abort closes the connection to the endpoint', async () => {
  server.script({ kind: 'hang', packets: packetsOf(answerEvents(['a'], null), 50) });
  const controller = new AbortController();
  const chat = new EndpointChat('m', { baseUrl: server.url, apiKey: null }, TIMING);
  const pieces = chat.stream(REQUEST, controller.signal);
  expect((await pieces.next()).value).toBe('a');
  const next = pieces.next();
  const abortedAt = performance.now();
  controller.abort(new Error('gone'));
  await expect(next).rejects.toThrow('gone');
  await expect.poll(() => server.abandoned.length, { timeout: 30_000 }).toBe(1);
  expect((server.abandoned[0] as number) - abortedAt).toBeLessThan(10_000);
});

test('8 answers run at once, 16 wait, and the next is RATE_LIMITED', async () => {
  server.script(
    ...Array.from(
      { length: 24 },
      () => ({ kind: 'hang', packets: packetsOf(answerEvents(['a'], null), 500) }) as const,
    ),
  );
  const chat = new EndpointChat('m', { baseUrl: server.url, apiKey: null }, TIMING);
  const controller = new AbortController();
  setMaxListeners(32, controller.signal);
  const asked = Array.from({ length: 24 }, () =>
    chat
      .stream(REQUEST, controller.signal)
      .next()
      .catch(() => 'ended'),
  );
  await expect.poll(() => server.requests.length, { timeout: 30_000 }).toBe(8);
  await expect(chat.stream(REQUEST, controller.signal).next()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect(server.requests).toHaveLength(8);
  controller.abort(new Error('gone'));
  await Promise.all(asked);
});
