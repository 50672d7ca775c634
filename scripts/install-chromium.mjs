/**
 * Installs Debian's browser for the studio's tests if it is missing and this user may install packages (`npm run
 * test:all` runs it first). Without any browser those tests are reported as skipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** It opens a page of the studio with .5 s of processor time; Chromium, which makes a whole window, takes 1.8 s. */
const HEADLESS_SHELL = 'chromium-headless-shell';
const OTHERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
];

if (!process.env.CHROMIUM_PATH && !existsSync(`/usr/bin/${HEADLESS_SHELL}`)) {
  const hasOther = OTHERS.some((path) => existsSync(path));
  // Without a browser the reason is of interest.
  const stderr = hasOther ? 'ignore' : 'inherit';
  const run = (command, ...args) => spawnSync(command, args, { stdio: ['ignore', 'ignore', stderr] }).status === 0;
  const isRoot = process.getuid?.() === 0;
  const prefix = isRoot ? [] : ['sudo', '-n'];
  const apt = (...args) => {
    const [command = '', ...rest] = [...prefix, 'apt-get', '-o', 'DPkg::Lock::Timeout=120', ...args];
    return run(command, ...rest);
  };
  const install = (name) => apt('install', '-y', '-qq', '--no-install-recommends', name);
  const installed =
    existsSync('/usr/bin/apt-get') &&
    apt('update', '-qq') &&
    (install(HEADLESS_SHELL) || (!hasOther && install('chromium')));
  if (!installed && !hasOther) {
    console.error('errata: Chromium could not be installed: the tests of the studio are skipped');
  }
}
