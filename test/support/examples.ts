import fc from 'fast-check';
import { seedOfRun } from './seed.js';

/**
 * Properties are tried with the same examples in every run, so that a run fails because of a change and not by chance:
 * 100 of them in `npm run test:all`, and the first quarter of these in `npm test`. `ERRATA_SEED=... npm test` tries
 * others.
 */
fc.configureGlobal({ seed: seedOfRun(1), numRuns: process.env.EVERY_RUN === 'true' ? 100 : 25 });
