import { Readable } from 'node:stream';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { toolOperations } from '../access/tool-operations.js';
import type { Config } from '../config/settings.js';
import { RefusedRequest } from '../http/errors.js';
import { allowIdle, goneSignal } from '../http/transfers.js';

const PATH = '/mcp';

/** Calls of a batch begin within this, in ms: nothing is sent before all of them have ended. */
const BATCH_MS = 10_000;
/**
 * No agent reads more. The protocol has each answer twice, as text and as data, and the SDK copies both several times:
 * 13 MB of cards with long texts blocked the event loop for 3.7 s.
 */
const MAX_BYTES = 1_000_000;
/** The deadline of a single call, and some time to write the responses. */
const LAST_CALL_MS = 12_000;

interface GraphqlAnswer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

/**
 * `POST /mcp`: the Model Context Protocol over stateless Streamable HTTP, JSON answers alone. Each call of a tool is
 * one request to `/graphql` with the caller's own credential, so that authentication, roles, limits and rates are those
 * of the API.
 */
export function mcpRoute(
  { mcpWrites: writes }: Pick<Config, 'mcpWrites'>,
  batchMs: number = BATCH_MS,
): FastifyPluginAsync {
  const operations = toolOperations(writes);
  return async (http) => {
    let mcp: ReturnType<typeof import('./server.js').createMcp> | undefined;
    http.post(PATH, { config: { searches: true } }, async (request, reply) => {
      refuseOtherOrigin(request);
      const signal = goneSignal(reply);
      allowIdle(reply, batchMs + LAST_CALL_MS);
      mcp ??= (await import('./server.js')).createMcp(writes, batchMs);
      const { status, headers, body } = await mcp(request, (name, variables) =>
        ask(http, request, { query: operations[name], variables }, signal),
      );
      return reply.status(status).headers(headers).send(body);
    });
    http.route({
      method: ['GET', 'DELETE'],
      url: PATH,
      handler: () => {
        throw new RefusedRequest(405, 'BAD_REQUEST', 'the server keeps no session: requests come by POST', {
          allow: 'POST',
        });
      },
    });
  };
}

/** In process, but through every check of the route. Once the signal aborts, its client counts as gone. */
async function ask(
  http: FastifyInstance,
  { headers: { authorization, host, 'x-request-id': requestId } }: FastifyRequest,
  operation: { readonly query: string | undefined; readonly variables: Record<string, unknown> },
  signal: AbortSignal,
): Promise<CallToolResult> {
  signal.throwIfAborted();
  const body = Buffer.from(JSON.stringify(operation));
  const payload = abortableBody(body, signal);
  const response = await http.inject({
    method: 'POST',
    url: '/graphql',
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(host !== undefined && { host }),
      ...(requestId !== undefined && { 'x-request-id': requestId }),
      'content-type': 'application/json',
      'content-length': String(body.length),
    },
    payload,
  });
  if (response.rawPayload.length > MAX_BYTES) {
    const text = `TOO_COMPLEX: the answer has ${response.rawPayload.length} bytes, more than ${MAX_BYTES}: ask for fewer cards`;
    return { isError: true, content: [{ type: 'text', text }] };
  }
  const { data, errors = [] } = response.json<GraphqlAnswer>();
  const [error] = errors;
  if (error !== undefined || data == null) {
    const text = `${error?.extensions?.code ?? 'INTERNAL'}: ${error?.message ?? 'no answer'}`;
    return { isError: true, content: [{ type: 'text', text }] };
  }
  return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data };
}

/**
 * An error of its body ends an injected request at any time: its connection is closed. light-my-request's own option
 * `signal` is ignored once the body has been read.
 */
function abortableBody(body: Buffer, signal: AbortSignal): Readable {
  const payload = new Readable({ autoDestroy: false, read: () => undefined });
  payload.push(body);
  payload.push(null);
  signal.addEventListener('abort', () => payload.destroy(signal.reason));
  return payload;
}

/** A page of another site must not use its visitor's gateway. */
function refuseOtherOrigin({ headers: { origin, host } }: FastifyRequest): void {
  if (origin === undefined) return;
  if (!URL.canParse(origin) || new URL(origin).host !== host) {
    throw new RefusedRequest(403, 'FORBIDDEN', 'requests from pages of other origins are refused');
  }
}
