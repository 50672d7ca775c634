import type { ApiError } from './client.js';

/** Retries of a query that a busy gateway refused, and the delay before the first one, in ms; it doubles. */
export const RETRIES = 3;
const RETRY_DELAY_MS = 1_000;

/** Error codes after which the same query may succeed later: docs/clients.md. */
export const RETRIED: ReadonlySet<string> = new Set([
  'RATE_LIMITED',
  'UNAVAILABLE',
  'RESOURCE_EXHAUSTED',
  'DEADLINE_EXCEEDED',
]);

/** The delay before the next try, in ms. */
export function retryDelayMs({ retryAfterMs }: ApiError, retries: number): number {
  return Math.max(RETRY_DELAY_MS * 2 ** Math.min(retries, RETRIES), retryAfterMs ?? 0);
}
