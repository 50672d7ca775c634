import type { IncomingMessage, ServerResponse } from 'node:http';
import { startHttpServer } from './http-server.js';

/** What the server does with one request. */
export type ChatStep =
  /** Streams these bytes, each a packet of its own. */
  | { readonly kind: 'stream'; readonly packets: readonly Uint8Array[] }
  /** Streams these, then ends the connection in the middle. */
  | { readonly kind: 'cut'; readonly packets: readonly Uint8Array[] }
  /** Streams these, then nothing more. */
  | { readonly kind: 'hang'; readonly packets: readonly Uint8Array[] }
  | { readonly kind: 'refuse'; readonly status: number; readonly body?: string; readonly retryAfter?: string };

export interface ChatServer {
  /** As `CHAT_BASE_URL` names it. */
  readonly url: string;
  /** What the coming requests get, in order; a request beyond them is refused with 418. */
  script(...steps: readonly ChatStep[]): void;
  /** The bodies of the requests since the last script. */
  readonly requests: readonly ChatBody[];
  /** When connections ended before their answer did: `performance.now()` of each. */
  readonly abandoned: readonly number[];
  close(): Promise<void>;
}

export interface ChatBody {
  readonly model: string;
  readonly stream: boolean;
  readonly max_tokens: number;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly authorization: string | undefined;
}

/** A server that speaks the chat format of OpenAI, and answers as it is told. */
export async function startChatServer(): Promise<ChatServer> {
  const steps: ChatStep[] = [];
  const requests: ChatBody[] = [];
  const abandoned: number[] = [];
  const server = await startHttpServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorization } = request.headers;
    requests.push({ ...JSON.parse(await textOf(request)), authorization });
    const step: ChatStep = steps.shift() ?? { kind: 'refuse', status: 418, body: 'nothing is scripted' };
    response.once('close', () => {
      if (!response.writableFinished) abandoned.push(performance.now());
    });
    if (step.kind === 'refuse') {
      response.writeHead(step.status, step.retryAfter === undefined ? {} : { 'retry-after': step.retryAfter });
      response.end(step.body ?? '{}');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    for (const packet of step.packets) {
      response.write(packet);
      // A packet of its own, as far as TCP lets it.
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (step.kind === 'stream') response.end();
    if (step.kind === 'cut') response.destroy();
  }

  return {
    url: `${server.url}/v1`,
    requests,
    abandoned,
    script: (...given) => {
      steps.splice(0, steps.length, ...given);
      requests.length = 0;
      abandoned.length = 0;
    },
    close: () => server.close(),
  };
}

/** The events of an answer of these pieces, ended by `finish`. */
export function answerEvents(pieces: readonly string[], finish: string | null = 'stop'): string {
  const event = (delta: object, finish_reason: string | null): string =>
    `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const texts = pieces.map((content) => event({ content }, null)).join('');
  return `${event({ role: 'assistant', content: '' }, null)}${texts}${finish === null ? '' : `${event({}, finish)}data: [DONE]\n\n`}`;
}

/** An answer in packets of `size` bytes, which end anywhere: within a character, within an event. */
export function streamed(pieces: readonly string[], size = 64, finish: string | null = 'stop'): ChatStep {
  return { kind: 'stream', packets: packetsOf(answerEvents(pieces, finish), size) };
}

export function packetsOf(text: string, size: number): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, place) =>
    bytes.subarray(place * size, (place + 1) * size),
  );
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
