import { setFlagsFromString } from 'node:v8';

/**
 * How much V8's heap may grow, in percent of what is in use, before it is collected again. By default it may grow to
 * four times that: a gateway with 50,000 cards, of whose memory 80 MB are in use, then keeps 50 to 150 MB more than
 * with this. With 20 % searches take a tenth more processor time. docs/measurements.md, Memory.
 */
const GROWTH_PERCENT = 50;

/** For all threads of this process, from their next collection on. */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
