import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { identify, isAlive, type ProcessIdentity, signal as send } from '../../../src/runtime/embedded/process.js';
import { removeFolder, temporaryFolder } from '../../support/embedded.js';
import { until } from '../../support/until.js';

const support = join(packageRoot(), 'test', 'support', 'children.ts');

/** A test that never ends, with a child that would not either. */
const ENDLESS = `
  import { spawn } from 'node:child_process';
  import { writeFileSync } from 'node:fs';
  import { test } from 'vitest';
  import { endsWithThisProcess } from ${JSON.stringify(support)};
  test('endless', () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], { stdio: ['ignore', 'pipe', 'pipe'] });
    endsWithThisProcess(child);
    writeFileSync('pids', [process.pid, child.pid].join(' '));
    return new Promise(() => {});
  }, 600_000);`;

const started: ProcessIdentity[] = [];
let folder: string;
afterEach(async () => {
  for (const identity of started.splice(0)) if (await isAlive(identity)) send(identity.pid, 'SIGKILL');
  await removeFolder(folder);
});

describe('a test run', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'leaves no worker and no child of a test behind when its runner alone gets %s',
    async (signal) => {
      folder = await temporaryFolder();
      await symlink(join(packageRoot(), 'node_modules'), join(folder, 'node_modules'));
      await writeFile(join(folder, 'endless.test.js'), ENDLESS);
      const runner = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run'], {
        cwd: folder,
        stdio: 'ignore',
      });
      const exited = once(runner, 'exit');
      const pids = async () =>
        /^(\d+) (\d+)$/
          .exec(await readFile(join(folder, 'pids'), 'utf8'))
          ?.slice(1)
          .map(Number);
      const found = await until(pids, { deadlineMs: 60_000, what: 'the test to have started its child' });
      for (const pid of [runner.pid ?? 0, ...found]) {
        const identity = await identify(pid);
        if (identity !== null) started.push(identity);
      }
      expect(started).toHaveLength(3);
      runner.kill(signal);
      await exited;
      for (const identity of started) {
        const gone = async () => !(await isAlive(identity));
        await until(gone, { deadlineMs: 30_000, what: `process ${started.indexOf(identity)} to be gone` });
      }
    },
  );
});
