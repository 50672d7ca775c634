import { setMaxListeners } from 'node:events';
import type { MiddlewareFn } from 'type-graphql';
import { abortable } from '../../src/domain/async.js';
import { DeadlineExceededError } from '../../src/domain/errors.js';
import { SEARCH_DEADLINE_MS } from '../../src/domain/search.js';
import type { Context } from '../context.js';

/** Deadline of a request. Clients and proxies commonly give up after 15 to 60 s. */
export const REQUEST_DEADLINE_MS = 10_000;

/** Deadline of a tutor's answer: 90 s, and the waiting time before. */
export const STREAM_DEADLINE_MS = 120_000;

/** Deadline of other subscriptions: a client that still listens subscribes again. */
export const EVENTS_DEADLINE_MS = 3_600_000;

/** How long `waitForIndex` waits; a single card takes well under a second. */
export const INDEX_WAIT_MS = 5_000;

/** A request's two deadlines, and the way to end both early. */
export interface Deadlines extends Pick<Context, 'startedMs' | 'signal' | 'searchSignal'> {
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

/**
 * Fails fields that have a resolver at the request's deadline, even if they wait for something that ignores the signal.
 * A subscription ends its events itself, the last of which says why.
 */
export const withinDeadline: MiddlewareFn<Context> = ({ context, info }, next) =>
  info.operation.operation === 'subscription' ? next() : abortable(next(), context.signal);
