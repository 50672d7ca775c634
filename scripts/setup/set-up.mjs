import { build } from './build.mjs';
import { StoppedError } from './child.mjs';
import { fetchChromaBinding } from './chroma-binding.mjs';
import { linkPostgresLibraries } from './postgres-links.mjs';
import { generatePrismaClient } from './prisma-client.mjs';
import { buildStudio } from './studio.mjs';

/** @typedef {{ name: string, run: (say: (text: string) => void) => Promise<void>, servers: boolean }} Step */

/** @type {Step[]} */
const steps = [
  { name: 'PostgreSQL', run: linkPostgresLibraries, servers: true },
  { name: 'Chroma', run: fetchChromaBinding, servers: true },
  { name: 'Prisma client', run: generatePrismaClient, servers: false },
  { name: 'build', run: build, servers: false },
  { name: 'studio', run: buildStudio, servers: false },
];

/**
 * Prepares a checkout; prints nothing and takes .1 s if nothing has changed. Exits if a step fails, except that, while
 * `installing`, a step for the embedded servers fails with a warning: the next start tries it again.
 *
 * @param {{ installing: boolean, withStudio?: boolean }} options
 */
export async function setUp({ installing, withStudio = true }) {
  // A closed terminal or a full disk must not prevent the start.
  const outputs = [process.stdout, process.stderr];
  for (const output of outputs) output.on('error', ignore);
  for (const step of steps) {
    if (withStudio || step.run !== buildStudio) await take(step, installing);
  }
  for (const output of outputs) output.off('error', ignore);
}

/**
 * @param {Step} step
 * @param {boolean} installing
 */
async function take({ name, run, servers }, installing) {
  try {
    // Standard output is that of the command that follows: `$(npm run -s errata -- keys create ...)` is the key alone.
    await run((text) => console.error(`errata: ${text}`));
  } catch (thrown) {
    if (thrown instanceof StoppedError) process.kill(process.pid, thrown.signal);
    console.error(`errata: ${name}: ${thrown instanceof Error ? thrown.message : thrown}`);
    if (!(installing && servers)) process.exit(1);
    console.error('errata: the installation continues; `npm start` tries again');
  }
}

function ignore() {}
