import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { RefusedRequest } from '../../src/http/errors.js';
import { callerOf } from '../../src/http/guard.js';
import { isSameCaller } from '../../src/http/recheck.js';
import { EventStream } from './event-stream.js';
import type { Open, OpenStreams } from './open-streams.js';

/** An operation that writes to a stream. */
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
