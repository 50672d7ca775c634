import { Readable } from 'node:stream';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import {
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  validate,
} from 'graphql';
import { createHandler } from 'graphql-sse';
import { UnavailableError } from '../src/domain/errors.js';
import { RefusedRequest } from '../src/http/errors.js';
import { callerOf } from '../src/http/guard.js';
import { type Context, createContext } from './context.js';
import { type Deadlines, STREAM_DEADLINE_MS } from './deadline.js';
import { PARSE_OPTIONS, refuseLargeDocument } from './document-guard.js';
import type { ErrorFormatter } from './errors.js';
import { type GuardParts, refuseOperation } from './guard.js';
import { onlyListed } from './persisted-operations.js';
import type { CountOperation } from './request-meter.js';
import { rootFieldsOf } from './root-fields.js';
import { deadlinesOf, type RouteParts } from './route.js';

const PATH = '/graphql/stream';

/** What the handler looks at; the request has been looked at before. */
const HEADERS = {
  get: (name: string): string | undefined =>
    ({ accept: 'text/event-stream', 'content-type': 'application/json; charset=utf-8' })[name],
};

/** What the stream of a subscription stands on. */
export interface StreamParts extends Omit<RouteParts, 'apollo'>, GuardParts {
  readonly schema: GraphQLSchema;
  readonly formatError: ErrorFormatter;
  readonly countOperation: CountOperation;
  /** How many errors of a document are told. */
  readonly maxErrors: number;
}

/** A subscription that may be executed. */
interface Subscribable {
  readonly document: ReturnType<typeof parse>;
  readonly variables: Record<string, unknown>;
  readonly fields: readonly string[];
}

/**
 * `POST /graphql/stream`: a subscription as server-sent events, in the distinct connections mode of the protocol graphql-sse. It
 * passes what an operation of `/graphql` passes (authentication, listed operations, limits of size and cost, scopes, rates)
 * before the stream begins.
 */
export function streamRoute(parts: StreamParts): FastifyPluginAsync {
  const handle = createHandler<FastifyRequest, Context, never>({
    // A stream of its own for each operation: a client has nothing to reserve.
    authenticate: () => null,
    onSubscribe: ({ raw, context }) => {
      const { document, variables } = asked.get(raw) as Subscribable;
      return { schema: parts.schema, document, variableValues: variables, contextValue: context as never };
    },
    onNext: (_context, { context }, result) => {
      if (result.errors === undefined) return;
      const errors = result.errors.map((error) => formatted(error, parts.formatError));
      context.facts.codes = errors.flatMap(({ extensions }) =>
        typeof extensions?.code === 'string' ? extensions.code : [],
      );
      return { ...result, errors } as never;
    },
  });
  const asked = new WeakMap<FastifyRequest, Subscribable>();
  const open = new Set<Deadlines>();
  return async (http) => {
    // A stream may take two minutes, the gateway has seconds to end.
    http.addHook('preClose', async () => {
      for (const { end } of open) end(new UnavailableError('gateway', 'it is shutting down'));
    });
    http.post(PATH, async (request, reply) => {
      const subscribable = checked(parts, request);
      asked.set(request, subscribable);
      const { fields } = subscribable;
      request.facts = { ...request.facts, fields };
      const startedMs = performance.now();
      const { store, ledger, tutor } = parts;
      const deadlines = deadlinesOf(reply, STREAM_DEADLINE_MS);
      open.add(deadlines);
      const viewer = callerOf(request);
      const context = createContext({
        viewer,
        facts: request.facts,
        requestKey: null,
        store,
        ledger,
        tutor,
        signal: deadlines.signal,
        searchSignal: deadlines.searchSignal,
      });
      reply.raw.once('close', () => {
        open.delete(deadlines);
        const [outcome = 'OK'] = context.facts.codes;
        for (const field of fields) parts.countOperation(field, outcome, (performance.now() - startedMs) / 1_000);
      });
      const body = request.body as Record<string, unknown>;
      const [events, init] = await handle({ method: 'POST', url: PATH, headers: HEADERS, body, raw: request, context });
      return send(reply, events, init);
    });
  };
}

/** Throws where the operation may not be executed. */
function checked(parts: StreamParts, request: FastifyRequest): Subscribable {
  const { schema, operations, production, maxErrors, formatError } = parts;
  const accept = request.headers.accept ?? '*/*';
  if (!/text\/event-stream|\*\/\*/.test(accept)) {
    throw new RefusedRequest(406, 'BAD_REQUEST', 'this route answers text/event-stream');
  }
  if (operations !== null) request.body = onlyListed(request.body, operations);
  refuseLargeDocument(request.body, { introspection: !production, streams: true });
  const { query, variables, operationName } = (request.body ?? {}) as Readonly<Record<string, unknown>>;
  const refuse = (thrown: readonly GraphQLError[], code: string): never => {
    const [error] = thrown.map((one) => formatted(one, formatError));
    throw new RefusedRequest(400, code, error?.message ?? 'the operation is not valid');
  };
  if (typeof query !== 'string') throw new RefusedRequest(400, 'BAD_REQUEST', 'the body must have a query');
  if (!isRecord(variables)) throw new RefusedRequest(400, 'BAD_REQUEST', 'variables must be an object');
  const document = parsed(query, refuse);
  const problems = validate(schema, document, undefined, { maxErrors, hideSuggestions: true });
  if (problems.length > 0) refuse(problems, 'GRAPHQL_VALIDATION_FAILED');
  const operation = getOperationAST(document, typeof operationName === 'string' ? operationName : undefined);
  if (operation == null) throw new RefusedRequest(400, 'BAD_REQUEST', 'there is no operation of this name');
  const rootFields = rootFieldsOf(document, operation);
  refuseOperation(parts, { schema, document, operation, variables: variables ?? {} }, callerOf(request), rootFields);
  return { document, variables: variables ?? {}, fields: [...rootFields.keys()] };
}

function parsed(query: string, refuse: (errors: readonly GraphQLError[], code: string) => never) {
  try {
    return parse(query, PARSE_OPTIONS);
  } catch (thrown) {
    if (thrown instanceof GraphQLError) return refuse([thrown], 'GRAPHQL_PARSE_FAILED');
    throw thrown;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> | null | undefined {
  return value == null || (typeof value === 'object' && !Array.isArray(value));
}

function formatted(error: GraphQLError, formatError: ErrorFormatter): GraphQLFormattedError {
  return formatError(error.toJSON(), error);
}

/** Sends the events as they come; between two of them a socket may rest for longer than others may. */
function send(
  reply: FastifyReply,
  events: string | AsyncGenerator<string, void, undefined> | null,
  { status, headers }: { readonly status: number; readonly headers?: Readonly<Record<string, string>> },
): FastifyReply {
  reply.code(status).headers({ ...headers, 'x-accel-buffering': 'no' });
  if (events === null || typeof events === 'string') return reply.send(events);
  const { socket } = reply.raw;
  const usualMs = socket?.timeout ?? 0;
  socket?.setTimeout(STREAM_DEADLINE_MS);
  reply.raw.once('close', () => {
    socket?.setTimeout(usualMs);
    void events.return();
  });
  return reply.send(Readable.from(events));
}
