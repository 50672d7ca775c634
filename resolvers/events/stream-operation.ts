import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  type FragmentSpreadNode,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  type InlineFragmentNode,
  parse,
  validate,
  visit,
} from 'graphql';
import { asError, ErrataError } from '../../src/domain/errors.js';
import { nextTurn, TURN_MS } from '../../src/domain/steps.js';
import { type Deadlines, startDeadlines } from '../../src/http/deadlines.js';
import { RefusedRequest } from '../../src/http/errors.js';
import { callerOf } from '../../src/http/guard.js';
import { isSameCaller } from '../../src/http/recheck.js';
import { type Context, createContext, type EventSources, type StreamContext } from '../context.js';
import type { ErrorFormatter } from '../errors.js';
import { EVENTS_DEADLINE_MS, STREAM_DEADLINE_MS } from '../requests/deadline.js';
import { rootFieldsOf } from '../requests/document-size.js';
import { type GuardParts, refuseOperation } from '../requests/guard.js';
import { PARSE_OPTIONS, refuseLargeDocument } from '../requests/limits.js';
import { isOnErrorNull, refuseUnknownOnError } from '../requests/on-error.js';
import { onlyListed } from '../requests/persisted-operations.js';
import { type CountOperation, errorFacts } from '../requests/request-meter.js';
import type { RouteParts } from '../route.js';
import { EventStream } from './event-stream.js';
import type { Open, OpenStreams } from './open-streams.js';

export interface StreamParts extends Omit<RouteParts, 'apollo'>, GuardParts {
  readonly schema: GraphQLSchema;
  /** A copy of the schema for `onError: "NULL"`. */
  readonly nullable: () => GraphQLSchema;
  readonly sources: EventSources;
  readonly formatError: ErrorFormatter;
  readonly countOperation: CountOperation;
  readonly maxErrors: number;
}

export interface Subscribable {
  readonly document: DocumentNode;
  readonly variables: Record<string, unknown>;
  readonly fields: readonly string[];
  /** That its events are executed by: errors propagate or do not. */
  readonly schema: GraphQLSchema;
}

/**
 * The operation of a request. Throws if it may not be executed: it passes what an operation of `/graphql` passes
 * (listed operations, limits of size and cost, scopes, rates) before its stream begins.
 */
export function subscribableOf(parts: StreamParts, request: FastifyRequest): Subscribable {
  const { schema, operations, production, maxErrors } = parts;
  const body = operations === null ? request.body : onlyListed(request.body, operations);
  refuseUnknownOnError(body);
  refuseLargeDocument(body, { introspection: !production, streams: true });
  const { query, variables, operationName } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const refuse = (thrown: readonly GraphQLError[], code: string): never => {
    throw new RefusedRequest(400, code, thrown[0]?.message ?? 'the operation is not valid');
  };
  if (typeof query !== 'string') throw new RefusedRequest(400, 'BAD_REQUEST', 'the body must have a query');
  if (!isRecord(variables)) throw new RefusedRequest(400, 'BAD_REQUEST', 'variables must be an object');
  if (operationName != null && typeof operationName !== 'string')
    throw new RefusedRequest(400, 'BAD_REQUEST', 'operationName must be a text');
  const document = parsed(query, refuse);
  // graphql-js 16 throws when it validates a condition by a variable, and when it subscribes to nothing.
  if (hasCondition(document))
    throw new RefusedRequest(400, 'GRAPHQL_VALIDATION_FAILED', 'the field of a subscription must have no condition');
  const problems = validate(schema, document, undefined, { maxErrors, hideSuggestions: true });
  if (problems.length > 0) refuse(problems, 'GRAPHQL_VALIDATION_FAILED');
  const operation = getOperationAST(document, operationName);
  if (operation == null)
    throw new RefusedRequest(400, 'OPERATION_RESOLUTION_FAILURE', 'there is no operation of this name');
  const rootFields = rootFieldsOf(document, operation);
  refuseOperation(parts, { schema, document, operation, variables: variables ?? {} }, callerOf(request), rootFields);
  const fields = [...rootFields.keys()];
  return { document, variables: variables ?? {}, fields, schema: isOnErrorNull(body) ? parts.nullable() : schema };
}

/** Whether the root field of a subscription is under @skip or @include. */
function hasCondition(document: DocumentNode): boolean {
  let found = false;
  const look = ({ directives = [] }: FieldNode | FragmentSpreadNode | InlineFragmentNode): void => {
    found ||= directives.some(({ name }) => name.value === 'skip' || name.value === 'include');
  };
  visit(document, {
    OperationDefinition: ({ operation }) => (operation === 'subscription' ? undefined : false),
    FragmentDefinition: ({ typeCondition }) => (typeCondition.name.value === 'Subscription' ? undefined : false),
    Field(node) {
      look(node);
      return false;
    },
    FragmentSpread: look,
    InlineFragment: look,
  });
  return found;
}

export function deadlinesFor({ fields }: Subscribable): Deadlines {
  return startDeadlines(fields.includes('tutor') ? STREAM_DEADLINE_MS : EVENTS_DEADLINE_MS);
}

/**
 * Executes an operation, and writes its results one after the other until it ends or its deadlines do; an error is its
 * last result. Never rejects.
 */
export async function runOperation(
  parts: StreamParts,
  request: FastifyRequest,
  { document, variables: variableValues, fields, schema }: Subscribable,
  { startedMs, signal, searchSignal }: Deadlines,
  write: (result: ExecutionResult | { readonly errors: readonly GraphQLFormattedError[] }) => Promise<void>,
): Promise<void> {
  const { store, ledger, resolvers, formatError } = parts;
  const { facts } = request;
  Object.assign(facts, { fields });
  // A new context for each event, because data loaders cache.
  const newContext = (): Context =>
    createContext({
      viewer: callerOf(request),
      facts,
      requestKey: null,
      store,
      ledger,
      resolvers,
      startedMs,
      signal,
      searchSignal,
    });
  const tell = (result: ExecutionResult): Promise<void> => {
    if (result.errors === undefined) return write(result);
    if (isUnwanted()) return Promise.resolve();
    const errors = result.errors.map((error) => formatError(error.toJSON(), error));
    Object.assign(facts, errorFacts(errors));
    return write({ ...result, errors });
  };
  const asked = { schema, document, variableValues };
  // Its client has gone, or has ended it.
  const isUnwanted = (): boolean => signal.aborted && !(signal.reason instanceof ErrataError);
  try {
    const contextValue: StreamContext = { ...newContext(), sources: parts.sources };
    const events = await createSourceEventStream({ ...asked, contextValue });
    if (!(Symbol.asyncIterator in events)) await tell(events);
    else {
      let turnEndMs = 0;
      for await (const rootValue of events) {
        // An import is hundreds of events for each of hundreds of streams, most of which wait for nothing.
        if (performance.now() > turnEndMs) {
          await nextTurn();
          turnEndMs = performance.now() + TURN_MS;
        }
        await tell(await execute({ ...asked, rootValue, contextValue: newContext() }));
      }
    }
  } catch (thrown) {
    const error = asError(thrown);
    if (!isUnwanted())
      await tell({
        errors: [error instanceof GraphQLError ? error : new GraphQLError(error.message, { originalError: error })],
      });
  }
  const [outcome = 'OK'] = facts.codes;
  for (const field of fields) parts.countOperation(field, outcome, (performance.now() - startedMs) / 1_000);
}

function parsed(query: string, refuse: (errors: readonly GraphQLError[], code: string) => never): DocumentNode {
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

export interface StreamedOperation extends Open {
  /** Resolves when it has ended, and written so. */
  readonly done: Promise<void>;
}

/** A stream that several operations share, by the ids that their client has given them. */
class ReservedStream implements Open {
  readonly events = new EventStream();
  readonly operations = new Map<string, StreamedOperation>();
  isOpen = false;
  #isEnding = false;

  constructor(private readonly onEnd: () => void) {}

  end(reason: Error): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.onEnd();
    const operations = [...this.operations.values()];
    for (const operation of operations) operation.end(reason);
    // Operations whose events fill the buffer would wait for a reader that never comes.
    if (!this.isOpen) this.events.destroy();
    void Promise.all(operations.map(({ done }) => done)).then(() => this.events.end());
  }
}

/** The streams of the single connection mode, by token. */
export class ReservedStreams {
  readonly #streams = new Map<string, { readonly stream: ReservedStream; readonly request: FastifyRequest }>();

  constructor(private readonly open: OpenStreams) {}

  /** Returns the token. RateLimitedError. */
  reserve(request: FastifyRequest): string {
    const token = randomUUID();
    const stream = new ReservedStream(() => {
      clearTimeout(timer);
      this.#streams.delete(token);
      remove();
    });
    const remove = this.open.add(stream, request);
    const timer = setTimeout(() => {
      if (!stream.isOpen) stream.end(new Error('the reserved stream was not opened'));
    }, this.open.limits.reservedMs);
    this.#streams.set(token, { stream, request });
    return token;
  }

  /** The caller's stream. RefusedRequest (404) for an unknown token, and for another caller's. */
  of(token: string, request: FastifyRequest): ReservedStream {
    const found = this.#streams.get(token);
    if (found === undefined || !isSameCaller(callerOf(found.request), callerOf(request))) {
      throw new RefusedRequest(404, 'NOT_FOUND', 'there is no event stream with this token');
    }
    return found.stream;
  }
}
