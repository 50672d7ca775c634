import base from './jest.config.js';

/** The fault tests that take minutes (`npm run test:faults`), one file after the other: they measure nothing, but kill a lot. */
export default { ...base, testMatch: ['**/*.faults.ts'], maxWorkers: 1, verbose: true };
