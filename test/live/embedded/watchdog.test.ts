import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { parseIdentity } from '../../../src/runtime/embedded/process.js';
import type { WatchedCommand } from '../../../src/runtime/embedded/watchdog.js';
import { endsWithThisProcess } from '../../support/children.js';
import { cleanups, removeFolder, temporaryFolder } from '../../support/embedded.js';

const WATCHDOG = join(packageRoot(), 'dist', 'src', 'runtime', 'embedded', 'watchdog.js');

describe('the watchdog of an embedded server', () => {
  const atEnd = cleanups();

  /** A watchdog whose command copies the record, as it is when the command starts. */
  async function startWatchdog() {
    const folder = await temporaryFolder();
    atEnd(() => removeFolder(folder));
    const [record, seen] = [join(folder, 'running.json'), join(folder, 'seen.json')];
    const script = `require('node:fs').copyFileSync(${JSON.stringify(record)}, ${JSON.stringify(seen)})`;
    const command: WatchedCommand = {
      command: process.execPath,
      args: ['-e', script],
      env: {},
      cwd: folder,
      owner: null,
      handedOver: [],
      record,
      orphaned: [{ signal: 'SIGKILL', waitMs: 1_000 }],
    };
    const watchdog = fork(WATCHDOG, [JSON.stringify(command)]);
    endsWithThisProcess(watchdog);
    return { watchdog, record, seen, exited: once(watchdog, 'exit') };
  }

  test('starts nothing if the gateway has ended before: the next gateway would not find it', async () => {
    const { watchdog, record, seen, exited } = await startWatchdog();
    watchdog.disconnect();
    expect(await exited).toEqual([0, null]);
    expect(existsSync(seen)).toBe(false);
    expect(parseIdentity(await readFile(record, 'utf8'))?.pid).toBe(watchdog.pid);
  });

  test('the record names a process before the command starts', async () => {
    const { seen, exited } = await startWatchdog();
    expect(await exited).toEqual([0, null]);
    expect(parseIdentity(await readFile(seen, 'utf8'))).not.toBeNull();
  });
});
