import fc from 'fast-check';
import { seedOfRun } from './seed.js';

/**
 * Properties are tried with the same examples in every run, so that a run fails because of a change and not by chance.
 * `ERRATA_SEED=... npm test` tries others.
 */
fc.configureGlobal({ seed: seedOfRun(1) });
