/**
 * Makes the checkout ready where it is not, then runs a compiled program in this process: one process to signal, where
 * `node scripts/setup.mjs && node dist/...` would be a shell that keeps the signals of npm to itself.
 *
 *     node scripts/run.mjs PROGRAM [arguments]     PROGRAM: below dist/, such as src/main.js
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './setup/root.mjs';
import { setUp } from './setup/set-up.mjs';

/** How often it is seen whether npm is still there, in ms. */
const WATCH_MS = 1_000;

// npm hands SIGINT and SIGTERM on. Any other signal ends npm alone, and so does a crash: that is told here as a hang-up.
if (process.env.npm_lifecycle_event !== undefined) {
  const npm = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGHUP');
  }, WATCH_MS).unref();
}

const [node, , program, ...args] = process.argv;
// The studio may need operations that are typed only when the schema is written.
await setUp({ installing: false, withStudio: program !== 'src/cli/emit-schema.js' });
const file = join(root, 'dist', program);
process.argv = [node, file, ...args];
await import(pathToFileURL(file).href);
