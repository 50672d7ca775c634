/**
 * Makes a checkout ready to run, and does nothing where it already is: `npm install`, `npm start` and `npm test` all run
 * it, so that it also works where npm was not allowed to run install scripts.
 *
 *     node scripts/setup.mjs [--quiet]     --quiet: not a word where there is nothing to do
 *
 * A step that only the embedded servers need is left out where the environment names a server instead. Within
 * `npm install` such a step may fail with a warning: it is tried again at the next start, which then fails if it must.
 */
import { build } from './setup/build.mjs';
import { fetchChromaBinding } from './setup/chroma-binding.mjs';
import { linkPostgresLibraries } from './setup/postgres-links.mjs';
import { generatePrismaClient } from './setup/prisma-client.mjs';

const quiet = process.argv.includes('--quiet');
const installing = process.env.npm_lifecycle_event === 'postinstall';

/** @type {{ name: string, run: (say: (text: string) => void) => void | Promise<void>, servers: boolean }[]} */
const steps = [
  { name: 'PostgreSQL', run: linkPostgresLibraries, servers: true },
  { name: 'Chroma', run: fetchChromaBinding, servers: true },
  { name: 'Prisma client', run: generatePrismaClient, servers: false },
  { name: 'build', run: build, servers: false },
];

for (const { name, run, servers } of steps) {
  try {
    await run((text) => console.log(`errata: ${text}`));
  } catch (thrown) {
    console.error(`errata: ${name}: ${thrown instanceof Error ? thrown.message : thrown}`);
    if (!(installing && servers)) process.exit(1);
    console.error('errata: the installation goes on without it; `npm start` tries again');
  }
}
if (!quiet) console.log('errata: ready, start it with `npm start`');
