/**
 * Installs Debian's Chromium for the studio's tests if it is missing and this user may install packages (`npm run
 * test:all` runs it first). Otherwise those tests are reported as skipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
];

const run = (command, ...args) => spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;

if (!process.env.CHROMIUM_PATH && !PLACES.some((path) => existsSync(path))) {
  const isRoot = process.getuid?.() === 0;
  const prefix = isRoot ? [] : ['sudo', '-n'];
  const apt = (...args) => {
    const [command = '', ...rest] = [...prefix, 'apt-get', '-o', 'DPkg::Lock::Timeout=120', ...args];
    return run(command, ...rest);
  };
  const installed =
    existsSync('/usr/bin/apt-get') &&
    apt('update', '-qq') &&
    apt('install', '-y', '-qq', '--no-install-recommends', 'chromium');
  if (!installed) console.error('errata: Chromium could not be installed: the tests of the studio are skipped');
}
