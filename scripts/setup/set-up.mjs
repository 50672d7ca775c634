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
 * Makes a checkout ready to run; says nothing and takes a tenth of a second where it is. A step that only the embedded
 * servers need is left out where the environment names a server instead. Where `installing`, such a step may fail with a
 * warning: it is tried again at the next start, which then fails if it must. Ends the process where a step fails.
 * @param {{ installing: boolean, withStudio?: boolean }} options
 */
export async function setUp({ installing, withStudio = true }) {
  // A terminal that is gone or a full disk shall not keep the gateway from starting.
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
    await run((text) => console.log(`errata: ${text}`));
  } catch (thrown) {
    if (thrown instanceof StoppedError) process.kill(process.pid, thrown.signal);
    console.error(`errata: ${name}: ${thrown instanceof Error ? thrown.message : thrown}`);
    if (!(installing && servers)) process.exit(1);
    console.error('errata: the installation goes on without it; `npm start` tries again');
  }
}

function ignore() {}
