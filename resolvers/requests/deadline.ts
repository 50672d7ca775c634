import type { MiddlewareFn } from 'type-graphql';
import { abortable } from '../../src/domain/async.js';
import type { Context } from '../context.js';

/** Deadline of a tutor's answer: 90 s, and the waiting time before. */
export const STREAM_DEADLINE_MS = 120_000;

/** Deadline of other subscriptions: a client that still listens subscribes again. */
export const EVENTS_DEADLINE_MS = 3_600_000;

/** How long `waitForIndex` waits; a single card takes well under a second. */
export const INDEX_WAIT_MS = 5_000;

/**
 * Fails fields that have a resolver at the request's deadline, even if they wait for something that ignores the signal.
 * A subscription ends its events itself, the last of which says why.
 */
export const withinDeadline: MiddlewareFn<Context> = ({ context, info }, next) =>
  info.operation.operation === 'subscription' ? next() : abortable(next(), context.signal);
