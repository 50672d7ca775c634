import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UnavailableError } from '../../../src/domain/errors.js';
import { EndpointBackend } from '../../../src/models/endpoint.js';
import type { EndpointSpec } from '../../../src/models/spec.js';
import { type HttpServer, startHttpServer } from '../../support/http-server.js';
import { never } from '../../support/models.js';

const KEY = 'sk-very-secret';
const spec: EndpointSpec = {
  kind: 'endpoint',
  name: 'openai:text-embedding-v3',
  dims: 3,
  asksForDims: false,
  batch: 10,
  maxTokens: 512,
  queryPrefix: '',
  passagePrefix: '',
  perspectivePrefixes: false,
};

interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly model: string; readonly input: readonly string[]; readonly dimensions?: number };
}

/** What the server answers, request by request: a status with a body, or nothing at all. The last one stays. */
type Reply = ((input: readonly string[]) => { status: number; body: unknown; headers?: Record<string, string> }) | null;

const embeddings: Reply = (input) => ({
  status: 200,
  body: {
    object: 'list',
    // Some servers do not answer in order: the index counts.
    data: input.map((text, index) => ({ object: 'embedding', index, embedding: [text.length, 0, 2] })).reverse(),
    usage: { prompt_tokens: 1, total_tokens: 1 },
  },
});
const status = (code: number, message = 'no', headers: Record<string, string> = {}): Reply => {
  return () => ({ status: code, body: { error: { message } }, headers });
};

let server: HttpServer;
let asked: Asked[];
let replies: Reply[];
beforeEach(async () => {
  asked = [];
  replies = [embeddings];
  server = await startHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString());
      asked.push({ path: request.url ?? '', headers: request.headers, body });
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      if (!reply) return;
      const { status: code, body: answer, headers = {} } = reply(body.input);
      response.writeHead(code, headers).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
  });
});
afterEach(() => server.close());

function backendOf(given: Partial<EndpointSpec> = {}, apiKey: string | null = KEY, answerMs = 30_000): EndpointBackend {
  return new EndpointBackend(
    { ...spec, ...given },
    { baseUrl: `${server.url}/v1`, apiKey },
    { pauseMs: 2, answerMs: { interactive: answerMs, bulk: answerMs } },
  );
}

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.catch((error: unknown) => error);
  if (outcome instanceof Error) return outcome;
  throw new Error('it did not fail');
}

describe('an endpoint that speaks the OpenAI format', () => {
  test('gets all texts in one request with the key, and its vectors are ordered and normalised', async () => {
    const vectors = await backendOf().run(['abc', 'a'], 'bulk', never);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.path).toBe('/v1/embeddings');
    expect(asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(asked[0]?.body).toEqual({ model: 'text-embedding-v3', input: ['abc', 'a'], encoding_format: 'float' });
    const [first, second] = vectors as Float32Array[];
    expect([...(first ?? [])]).toEqual([3 / Math.hypot(3, 2), 0, 2 / Math.hypot(3, 2)].map(Math.fround));
    expect(second?.[0]).toBeCloseTo(1 / Math.hypot(1, 2), 6);
  });

  test('gets no key if there is none, and the dimensions if they are configured', async () => {
    await backendOf({ asksForDims: true }, null).run(['a'], 'bulk', never);
    expect(asked[0]?.headers.authorization).toBeUndefined();
    expect(asked[0]?.body.dimensions).toBe(3);
  });

  test.each([
    ['429', status(429, 'slow down', { 'retry-after': '0' })],
    ['500', status(500)],
    ['503', status(503)],
    ['520', status(520)],
  ])('%s is tried again until it works', async (_name, reply) => {
    replies = [reply, reply, embeddings];
    await backendOf().run(['a'], 'bulk', never);
    expect(asked).toHaveLength(3);
  });

  test('a request without an answer times out and is retried', async () => {
    replies = [null, embeddings];
    // The second request may be late, too, on a busy machine.
    await backendOf({}, KEY, 300).run(['a'], 'bulk', never);
    expect(asked.length).toBeGreaterThanOrEqual(2);
  });

  test('a failing endpoint is unavailable, after two attempts for a query and five for the indexer', async () => {
    replies = [status(503, 'overloaded')];
    expect(await failureOf(backendOf().run(['a'], 'interactive', never))).toBeInstanceOf(UnavailableError);
    expect(asked).toHaveLength(2);
    const failure = await failureOf(backendOf().run(['a'], 'bulk', never));
    expect(failure).toBeInstanceOf(UnavailableError);
    expect(failure.message).toContain('overloaded');
    expect(asked).toHaveLength(7);
  });

  test('a closed port is unavailable', async () => {
    const away = new EndpointBackend(
      spec,
      { baseUrl: 'http://127.0.0.1:1/v1', apiKey: KEY },
      { pauseMs: 1, answerMs: { interactive: 30_000, bulk: 30_000 } },
    );
    expect(await failureOf(away.run(['a'], 'interactive', never))).toBeInstanceOf(UnavailableError);
  });

  test('wrong settings are unavailable at once, without a retry', async () => {
    replies = [status(401, 'bad key')];
    expect(await failureOf(backendOf().run(['a'], 'bulk', never))).toBeInstanceOf(UnavailableError);
    expect(asked).toHaveLength(1);
  });

  test('a refused text is an error of that text only', async () => {
    replies = [status(400, 'input too long')];
    const failure = await failureOf(backendOf().run(['a'], 'bulk', never));
    expect(failure).not.toBeInstanceOf(UnavailableError);
    expect(failure.message).toContain('input too long');
    expect(asked).toHaveLength(1);
  });

  test.each([
    ['no JSON', '<html>'],
    ['another format', { embeddings: [[1]] }],
    ['too few vectors', { data: [] }],
    ['one vector twice', { data: [1, 2].map(() => ({ index: 0, embedding: [1, 0, 0] })) }],
    ['a vector for a text that was not sent', { data: [0, 5].map((index) => ({ index, embedding: [1, 0, 0] })) }],
  ])('an answer of %s is taken for no answer', async (_name, body) => {
    replies = [() => ({ status: 200, body })];
    expect(await failureOf(backendOf().run(['a', 'b'], 'bulk', never))).toBeInstanceOf(UnavailableError);
  });

  test('a zero vector is an error of its text only', async () => {
    replies = [() => ({ status: 200, body: { data: [0, 1].map((index) => ({ index, embedding: [index, 0, 0] })) } })];
    const [first, second] = await backendOf().run(['a', 'b'], 'bulk', never);
    expect(first).toBeInstanceOf(Error);
    expect(second).toEqual(Float32Array.of(1, 0, 0));
  });

  test('the key is in no error message, even if the server repeats it', async () => {
    for (const code of [400, 401, 500]) {
      replies = [status(code, `Incorrect API key provided: ${KEY}`)];
      const { message } = await failureOf(backendOf().run(['a'], 'interactive', never));
      expect(message).toContain('Incorrect API key provided: ***');
      expect(message).not.toContain(KEY);
    }
  });

  test('stops at once when its signal aborts', async () => {
    replies = [null];
    const caller = new AbortController();
    const running = backendOf().run(['a'], 'bulk', caller.signal);
    while (asked.length === 0) await new Promise(setImmediate);
    caller.abort(new Error('too late'));
    await expect(running).rejects.toThrow('too late');
    expect(asked).toHaveLength(1);
  });
});
