/** Runs the work of one case when it is its turn. */
export type TakeTurn = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Lets `limit` cases run at once, in the order in which they came. Shared by the evaluations of a gateway, each of which asks for
 * few turns at a time, it gives each the same share.
 */
export function turnsOf(limit: number): TakeTurn {
  const waiting: (() => void)[] = [];
  let free = limit;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
