/**
 * Prepares the checkout, then runs a compiled program in this process. With `node scripts/setup.mjs && node dist/...`,
 * a shell would receive npm's signals and not forward them.
 *
 *     node scripts/run.mjs PROGRAM [arguments]     PROGRAM: below dist/, such as src/main.js
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './setup/root.mjs';
import { setUp } from './setup/set-up.mjs';

/** Interval of checks whether npm still runs, in ms. */
const WATCH_MS = 1_000;

// npm forwards SIGINT and SIGTERM. If another signal or a crash ends npm alone, this process receives SIGHUP.
if (process.env.npm_lifecycle_event !== undefined) {
  const npm = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGHUP');
  }, WATCH_MS).unref();
}

const [node, , program, ...args] = process.argv;
// The studio may need operations whose types are only generated after the schema.
await setUp({ installing: false, withStudio: program !== 'src/cli/emit-schema.js' });
const file = join(root, 'dist', program);
process.argv = [node, file, ...args];
await import(pathToFileURL(file).href);
