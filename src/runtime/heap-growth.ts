import { setFlagsFromString } from 'node:v8';

/**
 * How much V8's heap may grow, in percent of what is in use, before it is collected again. By default it may grow to
 * four times that, which takes a tenth (10,000 cards) to a third (50,000 cards) more memory and no less processor time.
 * With 20 % a gateway has 20 MB less, and searches took up to a tenth more processor time: docs/measurements.md.
 */
const GROWTH_PERCENT = 50;

/** For all threads of this process, from their next collection on. */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
