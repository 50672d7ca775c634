/**
 * Makes a checkout ready to run: `npm install` runs this, and `npm start` and the tests what it calls, so that it also
 * works where npm was not allowed to run install scripts.
 *
 *     node scripts/setup.mjs [--quiet]     --quiet: not a word where there is nothing to do
 */
import { setUp } from './setup/set-up.mjs';

await setUp({ installing: process.env.npm_lifecycle_event === 'postinstall' });
if (!process.argv.includes('--quiet')) console.log('errata: ready, start it with `npm start`');
