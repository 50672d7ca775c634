/** Limit of a request. */
const MAX_ATTEMPTS = 500;

/** As many of the attempts that wait as one request takes. */
export function nextRequest<T>(waiting: readonly T[]): readonly T[] {
  return waiting.slice(0, MAX_ATTEMPTS);
}
