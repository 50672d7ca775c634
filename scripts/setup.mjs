/**
 * Prepares a checkout: builds what is missing or outdated. `npm install` runs this; `npm start` and the tests call the
 * same function, in case npm may not run install scripts.
 *
 *     node scripts/setup.mjs [--quiet]     --quiet: prints nothing if nothing has changed
 */
import { setUp } from './setup/set-up.mjs';

await setUp({ installing: process.env.npm_lifecycle_event === 'postinstall' });
if (!process.argv.includes('--quiet')) console.log('errata: ready, start it with `npm start`');
