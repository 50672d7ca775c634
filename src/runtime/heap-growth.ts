import { setFlagsFromString } from 'node:v8';

/**
 * How much V8's heap may grow, in percent of what is in use, before it is collected again. By default it may grow to
 * four times that: a gateway with 50,000 cards, of whose heap 80 MB are in use, then had 553 MB of its own after
 * searches of 16 clients, and 372 MB with this, for the same processor time. With 20 % it had 30 MB less, and searches
 * took a tenth more processor time. docs/measurements.md, Memory.
 */
const GROWTH_PERCENT = 50;

/** For all threads of this process, from their next collection on. */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
