import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { ClientGoneError, UnavailableError } from '../../src/domain/errors.js';
import type { Authenticator } from '../../src/domain/ports/callers.js';
import { RefusedRequest } from '../../src/http/errors.js';
import { EventStream } from './event-stream.js';
import { OpenStreams, STREAM_LIMITS, type StreamLimits } from './open-streams.js';
import {
  deadlinesFor,
  ReservedStreams,
  runOperation,
  type StreamedOperation,
  type StreamParts,
  type Subscribable,
  subscribableOf,
} from './stream-operation.js';

const PATH = '/graphql/stream';

const TOKEN_HEADER = 'x-graphql-event-stream-token';

/** Ids of operations are the client's; the protocol's own clients send UUIDs. */
const MAX_ID_CHARS = 64;

export interface StreamRouteParts extends StreamParts {
  readonly authenticator: Authenticator;
  /** Overridden by tests. */
  readonly streamLimits?: StreamLimits;
}

/**
 * `/graphql/stream`: subscriptions as server-sent events, by the protocol graphql-sse. Distinct connections mode: a
 * POST is answered with the events of its operation. Single connection mode: PUT reserves a stream, GET opens it, a
 * POST with its token starts an operation on it, DELETE ends one.
 */
export function streamRoute(parts: StreamRouteParts): FastifyPluginAsync {
  const open = new OpenStreams(parts.authenticator, parts.streamLimits ?? STREAM_LIMITS);
  const reserved = new ReservedStreams(open);

  /** Starts an operation that ends with its deadlines or by {@link StreamedOperation.end}. */
  const start = (
    request: FastifyRequest,
    subscribable: Subscribable,
    events: EventStream,
    id: string | null,
  ): StreamedOperation => {
    const deadlines = deadlinesFor(subscribable);
    const running = { end: (reason: Error) => deadlines.end(reason) };
    let remove: () => void;
    try {
      remove = open.add(running, request);
    } catch (thrown) {
      deadlines.end();
      throw thrown;
    }
    const named = (payload: object): object => (id === null ? payload : { id, payload });
    const run = async (): Promise<void> => {
      await runOperation(parts, request, subscribable, deadlines, (result) => events.write('next', named(result)));
      // Whatever an event has begun to read is not needed any more.
      deadlines.end(new Error('the operation has ended'));
      remove();
      await events.write('complete', id === null ? null : { id });
    };
    return { ...running, done: run() };
  };

  return async (http) => {
    // A stream may take an hour, the gateway has seconds to end.
    http.addHook('preClose', async () => open.endAll(new UnavailableError('gateway', 'it is shutting down')));

    http.put(PATH, async (request, reply) => {
      reply.code(201).type('text/plain; charset=utf-8');
      return reserved.reserve(request);
    });

    http.get(PATH, async (request, reply) => {
      refuseUnlessEvents(request);
      const stream = reserved.of(tokenOf(request) ?? '', request);
      if (stream.isOpen) throw new RefusedRequest(409, 'CONFLICT', 'the event stream is open already');
      stream.isOpen = true;
      return stream.events.send(reply, () => stream.end(new ClientGoneError()));
    });

    http.post(PATH, async (request, reply) => {
      const token = tokenOf(request);
      if (token === null) {
        refuseUnlessEvents(request);
        const events = new EventStream();
        const operation = start(request, subscribableOf(parts, request), events, null);
        void operation.done.then(() => events.end());
        return events.send(reply, () => operation.end(new ClientGoneError()));
      }
      const { operations, events } = reserved.of(token, request);
      const id = idOf(
        (request.body as { readonly extensions?: { readonly operationId?: unknown } | null } | null)?.extensions
          ?.operationId,
      );
      if (operations.has(id)) throw new RefusedRequest(409, 'CONFLICT', 'the stream has an operation with this id');
      const operation = start(request, subscribableOf(parts, request), events, id);
      operations.set(id, operation);
      void operation.done.then(() => operations.delete(id));
      return reply.code(202).send();
    });

    http.delete(PATH, async (request, reply) => {
      const { operations } = reserved.of(tokenOf(request) ?? '', request);
      const { operationId } = request.query as { readonly operationId?: unknown };
      // It may just have ended by itself.
      operations.get(idOf(operationId))?.end(new Error('the client has ended the operation'));
      return reply.code(200).send();
    });
  };
}

/** The token of a reserved stream, by the header or in the address; null without one. */
function tokenOf({ headers, query }: FastifyRequest): string | null {
  const given = headers[TOKEN_HEADER] ?? (query as { readonly token?: unknown }).token;
  return given === undefined ? null : String(given);
}

function idOf(given: unknown): string {
  if (typeof given === 'string' && given.length > 0 && given.length <= MAX_ID_CHARS) return given;
  throw new RefusedRequest(400, 'BAD_REQUEST', `operationId must be a text of 1 to ${MAX_ID_CHARS} characters`);
}

function refuseUnlessEvents({ headers: { accept = '*/*' } }: FastifyRequest): void {
  if (!/text\/event-stream|\*\/\*/.test(accept)) {
    throw new RefusedRequest(406, 'BAD_REQUEST', 'this route answers text/event-stream');
  }
}
