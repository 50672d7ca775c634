/** The protocol's own part of `/mcp`, loaded with its packages by the first request. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  CancelledNotificationSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import type { FastifyRequest } from 'fastify';
import type { ToolName } from '../access/tool-operations.js';
import { packageVersion } from '../config/package-root.js';
import { Turns } from '../domain/turns.js';
import { toolList } from './tools.js';

type Call = (name: ToolName, variables: Record<string, unknown>) => Promise<CallToolResult>;

interface McpAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** @param batchMs how long after the first call of a batch others may begin. */
export function createMcp(
  writes: boolean,
  batchMs: number,
): (request: FastifyRequest, call: Call) => Promise<McpAnswer> {
  const tools = toolList(writes);
  return async (request, call) => {
    // The SDK starts all calls of a batch at once: 100 of one caller would take all connections to the database.
    const turns = new Turns(1);
    const server = serverFor(tools, inTurns(turns, batchMs, call));
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      const answer = await transport.handleRequest(asWebRequest(request), { parsedBody: request.body });
      return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
    } finally {
      await server.close();
    }
  };
}

/** Runs the calls of a batch one after the other, and those not at all whose turn comes too late. */
function inTurns(turns: Turns, batchMs: number, call: Call): Call {
  let beganMs: number | undefined;
  return (name, variables) =>
    turns.run(async () => {
      beganMs ??= performance.now();
      if (performance.now() - beganMs <= batchMs) return call(name, variables);
      const text = `DEADLINE_EXCEEDED: not begun, because the calls before it took ${batchMs / 1_000} s: send it again`;
      return { isError: true, content: [{ type: 'text', text }] };
    });
}

/** The SDK's, which would answer invalid parameters as an internal error, in the words of zod. */
const CALL_TOOL = CallToolRequestSchema.extend({
  params: CallToolRequestSchema.shape.params.catch(() => {
    const problem = 'params must have "name", a string, and may have "arguments", an object';
    throw new McpError(ErrorCode.InvalidParams, problem);
  }),
});

function serverFor(tools: readonly Tool[], call: Call): Server {
  const server = new Server({ name: 'errata', version: packageVersion() }, { capabilities: { tools: {} } });
  // The SDK would never answer a call that is cancelled in its own batch, nor the other messages of the batch.
  server.setNotificationHandler(CancelledNotificationSchema, () => undefined);
  let isListed = false;
  server.setRequestHandler(ListToolsRequestSchema, () => {
    // A batch of 100 would be answered with 3.5 MB.
    if (isListed) throw new McpError(ErrorCode.InvalidRequest, 'a batch may have tools/list once');
    isListed = true;
    return { tools: [...tools] };
  });
  server.setRequestHandler(CALL_TOOL, async ({ params: { name, arguments: given = {} } }) => {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `there is no tool ${JSON.stringify(name)}`);
    const unknown = Object.keys(given).find((key) => !Object.hasOwn(tool.inputSchema.properties ?? {}, key));
    if (unknown !== undefined) {
      const text = `BAD_USER_INPUT: ${name} has no argument ${JSON.stringify(unknown)}`;
      return { isError: true, content: [{ type: 'text', text }] };
    }
    return call(name as ToolName, given);
  });
  return server;
}

/** Method and headers: the body is parsed already. */
function asWebRequest({ method, headers, url, host }: FastifyRequest): Request {
  const given = Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  return new Request(`http://${host}${url}`, { method, headers: given as [string, string][] });
}
