import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { type ToolName, toolOperations } from '../access/tool-operations.js';
import { packageVersion } from '../config/package-root.js';
import type { Config } from '../config/settings.js';
import { RefusedRequest } from '../http/errors.js';
import { toolList } from './tools.js';

const PATH = '/mcp';

interface GraphqlAnswer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

/**
 * `POST /mcp`: the Model Context Protocol over stateless Streamable HTTP, JSON answers alone. Each call of a tool is one request to
 * `/graphql` with the caller's own credential, so that authentication, roles, limits and rates are those of the API.
 */
export function mcpRoute({ mcpWrites: writes }: Pick<Config, 'mcpWrites'>): FastifyPluginAsync {
  const operations = toolOperations(writes);
  return async (http) => {
    let tools: readonly Tool[] | undefined;
    http.post(PATH, async (request, reply) => {
      refuseOtherOrigin(request);
      tools ??= toolList(writes);
      const server = serverFor(tools, (name, variables) => ask(http, request, operations[name], variables));
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await server.connect(transport);
      try {
        const answer = await transport.handleRequest(asWebRequest(request), { parsedBody: request.body });
        reply.status(answer.status).headers(Object.fromEntries(answer.headers));
        return reply.send(answer.body === null ? '' : await answer.text());
      } finally {
        await server.close();
      }
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

function serverFor(
  tools: readonly Tool[],
  call: (name: ToolName, variables: Record<string, unknown>) => Promise<CallToolResult>,
): Server {
  const server = new Server({ name: 'errata', version: packageVersion() }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools] }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given = {} } }) => {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `there is no tool ${JSON.stringify(name)}`);
    const unknown = Object.keys(given).find((key) => !(key in (tool.inputSchema.properties ?? {})));
    if (unknown !== undefined) return failure(`BAD_USER_INPUT: ${name} has no argument ${JSON.stringify(unknown)}`);
    return call(name as ToolName, given);
  });
  return server;
}

/** In process, but through every check of the route. */
async function ask(
  http: FastifyInstance,
  { headers: { authorization, host, 'x-request-id': requestId } }: FastifyRequest,
  query: string | undefined,
  variables: Record<string, unknown>,
): Promise<CallToolResult> {
  const response = await http.inject({
    method: 'POST',
    url: '/graphql',
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(host !== undefined && { host }),
      ...(requestId !== undefined && { 'x-request-id': requestId }),
      'content-type': 'application/json',
    },
    payload: { query, variables },
  });
  const { data, errors = [] } = response.json<GraphqlAnswer>();
  const [error] = errors;
  if (error !== undefined || data == null) {
    return failure(`${error?.extensions?.code ?? 'INTERNAL'}: ${error?.message ?? 'no answer'}`);
  }
  return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data };
}

/** An error that the model reads, so that it can call again with better arguments. */
function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

/** A page of another site must not use its visitor's gateway. */
function refuseOtherOrigin({ headers: { origin, host } }: FastifyRequest): void {
  if (origin === undefined) return;
  if (!URL.canParse(origin) || new URL(origin).host !== host) {
    throw new RefusedRequest(403, 'FORBIDDEN', 'requests from pages of other origins are refused');
  }
}

/** Method and headers: the body is parsed already. */
function asWebRequest({ method, headers, url, host }: FastifyRequest): Request {
  const given = Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  return new Request(`http://${host}${url}`, { method, headers: given as [string, string][] });
}
