import { setMaxListeners } from 'node:events';
import type { FastifyReply } from 'fastify';
import { ClientGoneError, DeadlineExceededError } from '../domain/errors.js';
import { SEARCH_DEADLINE_MS } from '../domain/search.js';

/** Deadline of a request. Clients and proxies commonly give up after 15 to 60 s. */
export const REQUEST_DEADLINE_MS = 10_000;

/** A request's two deadlines, and the way to end both early. */
export interface Deadlines {
  /** When the request began, by `performance.now()`. */
  readonly startedMs: number;
  /** Aborts at the request's deadline, or when its client disconnects. */
  readonly signal: AbortSignal;
  /** Aborts at the deadline of searches, which is earlier: what follows them may take longer. */
  readonly searchSignal: AbortSignal;
  /** Clears the timers. With a reason, aborts running work. */
  end(reason?: Error): void;
}

/** Starts the clocks of a request, which has `ms` for all of it. */
export function startDeadlines(ms = REQUEST_DEADLINE_MS): Deadlines {
  const request = abortAfter(
    ms,
    () => new DeadlineExceededError('gateway', `no answer within ${ms} ms; a change may have been made nevertheless`),
  );
  const search = abortAfter(
    SEARCH_DEADLINE_MS,
    () => new DeadlineExceededError('search', `no answer within ${SEARCH_DEADLINE_MS} ms`),
  );
  return {
    startedMs: performance.now(),
    signal: request.signal,
    searchSignal: search.signal,
    end(reason) {
      request.end(reason);
      search.end(reason);
    },
  };
}

/** The request's deadlines; both are over when the reply is, or when its client has gone. */
export function deadlinesOf(reply: FastifyReply): Deadlines {
  const deadlines = startDeadlines();
  reply.raw.once('close', () => {
    deadlines.end(reply.raw.writableFinished ? undefined : new ClientGoneError());
  });
  return deadlines;
}

/** Creates the error only at the deadline: most requests end before, and its stack trace costs 50 µs. */
function abortAfter(ms: number, late: () => Error): { readonly signal: AbortSignal; end(reason?: Error): void } {
  const controller = new AbortController();
  // Every field and lane of a request may wait on the signal; ten is no sign of a leak.
  setMaxListeners(0, controller.signal);
  const timer = setTimeout(() => controller.abort(late()), ms);
  return {
    signal: controller.signal,
    end(reason) {
      clearTimeout(timer);
      if (reason !== undefined) controller.abort(reason);
    },
  };
}
