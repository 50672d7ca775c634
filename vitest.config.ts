import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type TestProjectInlineConfiguration } from 'vitest/config';

const root = import.meta.dirname;
const PRODUCT = /^(dist\/)?((src|prisma|chroma|resolvers|bench)\/.*)$/;

/**
 * Tests are TypeScript; what they import of the product is what `npm start` runs: the compiled files in dist/. Node
 * loads those once per worker, not once per test file (transforming them per file took over half of the suite's time).
 */
const compiledProduct: Plugin = {
  name: 'compiled-product',
  enforce: 'pre',
  resolveId(source, importer) {
    // Vite would take graphql's module build, beside the CommonJS one that Node takes: a second copy, which graphql
    // refuses.
    if (source === 'graphql') return { id: fileURLToPath(import.meta.resolve(source)), external: true };
    if (!source.startsWith('.') || importer === undefined) return null;
    const path = PRODUCT.exec(resolve(dirname(importer), source).slice(root.length + 1))?.[2];
    return path === undefined ? null : { id: resolve(root, 'dist', path), external: true };
  },
};

const shared: TestProjectInlineConfiguration['test'] = {
  /**
   * A worker keeps what it has loaded from file to file. Tests must leave no module state and no environment behind.
   */
  isolate: false,
  setupFiles: ['test/support/examples.ts', 'test/support/umask.ts'],
  server: { deps: { external: [/\/dist\//] } },
};

/**
 * These disable one of the two mechanisms between viewers by replacing a module: they import sources, in a worker of
 * their own.
 */
const ROW_LEVEL_SECURITY = 'test/unit/prisma/row-level-security-*.test.ts';

/** It compares response times, so that it runs alone, after all other files. */
const TIMED = 'test/faults/long-work.test.ts';

/**
 * In `npm run test:all` alone: tests with so many rows, cards, queries or students that they take seconds, and those
 * that wait for real deadlines or start many processes.
 */
const SLOW = 'test/{unit,api}/**/*.{many*,slow}.test.ts';

/** A start of the shared gateway alone may take 240 s on a busy machine, and then says what it printed. */
const HOOK_TIMEOUT_MS = 300_000;

/** `npm run test:all` tries each property with all of its runs, which takes longer (`runs()`). */
const UNIT_TIMEOUT_MS = process.env.EVERY_RUN === 'true' ? 300_000 : 60_000;

export default defineConfig({
  plugins: [compiledProduct],
  test: {
    globalSetup: ['test/support/servers.ts'],
    maxWorkers: 3,
    projects: [
      {
        plugins: [compiledProduct],
        test: {
          ...shared,
          name: 'unit',
          include: ['test/{unit,api}/**/*.test.ts'],
          exclude: [ROW_LEVEL_SECURITY, SLOW],
          testTimeout: UNIT_TIMEOUT_MS,
          hookTimeout: HOOK_TIMEOUT_MS,
        },
      },
      {
        test: {
          ...shared,
          name: 'row-level-security',
          include: [ROW_LEVEL_SECURITY],
          isolate: true,
          testTimeout: UNIT_TIMEOUT_MS,
          hookTimeout: HOOK_TIMEOUT_MS,
        },
      },
      {
        plugins: [compiledProduct],
        test: {
          ...shared,
          name: 'live',
          include: ['test/{live,faults}/**/*.test.ts', SLOW],
          exclude: [TIMED],
          testTimeout: 300_000,
          hookTimeout: HOOK_TIMEOUT_MS,
        },
      },
      {
        plugins: [compiledProduct],
        test: {
          ...shared,
          name: 'timed',
          include: [TIMED],
          testTimeout: 300_000,
          hookTimeout: HOOK_TIMEOUT_MS,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        plugins: [compiledProduct],
        test: {
          ...shared,
          name: 'faults',
          include: ['test/faults/**/*.faults.ts'],
          testTimeout: 3_600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
