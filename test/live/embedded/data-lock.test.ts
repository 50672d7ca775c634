import { spawnSync } from 'node:child_process';
import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { StartupError } from '../../../src/domain/errors.js';
import { lockDataDir } from '../../../src/runtime/embedded/data-lock.js';
import { identify } from '../../../src/runtime/embedded/process.js';
import { cleanups, folders, startParent } from '../../support/embedded.js';
import { until } from '../../support/until.js';

describe('the lock on a data directory', () => {
  const atEnd = cleanups();
  const freshFolder = folders(atEnd);
  afterEach(() => void vi.useRealTimers());

  async function heldByAnother(folder: string) {
    const holder = startParent('lock', folder);
    atEnd(() => holder.kill());
    expect(await holder.told).toEqual({ pid: holder.pid });
    return holder;
  }

  test('refuses a second gateway within two seconds and names the first one, even while that one is suspended', async () => {
    const folder = await freshFolder();
    const holder = await heldByAnother(folder);
    for (const state of ['running', 'stopped'] as const) {
      if (state === 'stopped') holder.process.kill('SIGSTOP');
      const begun = performance.now();
      const refusal = await lockDataDir(folder).catch((thrown: unknown) => thrown);
      expect(refusal).toBeInstanceOf(StartupError);
      expect(refusal).toMatchObject({
        message: `${folder} is used by the gateway with pid ${holder.pid}`,
        exitCode: 75,
      });
      expect(performance.now() - begun).toBeLessThan(2_000);
    }
  });

  test('is free again after release, and after its holder was killed', async () => {
    const folder = await freshFolder();
    const holder = await heldByAnother(folder);
    await holder.kill();
    const lock = await lockDataDir(folder);
    expect(lock).toMatchObject({ abandoned: true, killed: [expect.stringMatching(`^${holder.pid}@`)] });
    await lock.release();
    await lock.release();
    const next = await lockDataDir(folder);
    expect(next).toMatchObject({ holder: lock.holder, abandoned: false, killed: [] });
    await next.release();
  });

  test('is taken over at once if another program has the holder’s pid, and if the record is damaged', async () => {
    for (const left of [JSON.stringify({ pid: process.ppid, startedAt: 'long ago' }), '', '{"pid":1']) {
      const folder = await freshFolder();
      await mkdir(join(folder, 'gateway.lock'));
      await writeFile(join(folder, 'gateway.lock', '7'), left);
      const lock = await lockDataDir(folder);
      expect(JSON.parse(await readFile(join(folder, 'gateway.lock', '8'), 'utf8'))).toMatchObject({ pid: process.pid });
      expect(lock.abandoned).toBe(true);
      await lock.release();
    }
  });

  test('is refused to a container while the claim of another one is touched, and taken over afterwards', async () => {
    const folder = await freshFolder();
    const claim = join(folder, 'gateway.lock', '7');
    await mkdir(join(folder, 'gateway.lock'));
    // Its pid is one of this container too.
    const there = { ...(await identify(process.pid)), processList: 'another boot:pid:[1]' };
    await writeFile(claim, JSON.stringify(there));
    const touching = setInterval(() => void utimes(claim, new Date(), new Date()), 500);
    try {
      await expect(lockDataDir(folder)).rejects.toMatchObject({
        message: `${folder} is used by the gateway with pid ${process.pid} in another container or on another machine`,
        exitCode: 75,
      });
    } finally {
      clearInterval(touching);
    }
    const lock = await lockDataDir(folder);
    expect(lock.abandoned).toBe(true);
    await lock.release();
  });

  test('reports once that its claim cannot be touched, and again only after it could be', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const folder = await freshFolder();
    const claim = join(folder, 'gateway.lock', '1');
    const failures: string[] = [];
    const lock = await lockDataDir(folder, ({ message }) => void failures.push(message));
    const written = await readFile(claim);
    for (let outage = 1; outage <= 2; outage += 1) {
      await rm(claim);
      for (let touch = 0; touch < 5; touch += 1) {
        vi.advanceTimersToNextTimer();
        const touched = () => failures.length === outage;
        await until(touched, { deadlineMs: 30_000, what: 'the claim to be touched' });
      }
      await writeFile(claim, written);
      await utimes(claim, 1, 1);
      vi.advanceTimersToNextTimer();
      const isTouched = async () => (await stat(claim)).mtimeMs > 1_000;
      await until(isTouched, { deadlineMs: 30_000, what: 'the claim to be touched again' });
    }
    expect(failures).toEqual(Array(2).fill(expect.stringContaining('ENOENT')));
    await lock.release();
  });

  test.skipIf(!mayUnshare())('is held by a process whose pids are those of another container', async () => {
    const folder = await freshFolder();
    const holder = startParent('lock', folder, ['unshare', '--fork', '--pid', '--mount-proc', '--kill-child']);
    atEnd(() => holder.kill());
    await holder.told;
    await expect(lockDataDir(folder)).rejects.toThrow(/in another container/);
    await holder.kill();
    const lock = await lockDataDir(folder);
    expect(lock.abandoned).toBe(true);
    await lock.release();
  });

  test('is given to exactly one of many contenders for an abandoned lock', async () => {
    for (let round = 0; round < 20; round += 1) {
      const folder = await freshFolder();
      await mkdir(join(folder, 'gateway.lock'));
      await writeFile(join(folder, 'gateway.lock', '3'), JSON.stringify({ pid: process.ppid, startedAt: 'long ago' }));
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(folder)));
      const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      expect(winners).toHaveLength(1);
      await winners[0]?.value.release();
    }
  });

  test('is given to exactly one of several processes', async () => {
    const folder = await freshFolder();
    const parents = Array.from({ length: 4 }, () => startParent('lock', folder));
    for (const parent of parents) atEnd(() => parent.kill());
    const told = await Promise.all(parents.map((parent) => parent.told));
    const winners = parents.filter((_, index) => told[index]?.refused === undefined);
    expect(winners).toHaveLength(1);
    const refusals = told.filter(({ refused }) => refused !== undefined);
    for (const { refused } of refusals) expect(refused).toContain(`pid ${winners[0]?.pid}`);
  });

  test('says in one line that a directory cannot be used', async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'file'), '');
    await expect(lockDataDir(join(folder, 'file', 'data'))).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringMatching(/^the data directory [^\n]* cannot be used: part of the path is a file[^\n]*$/),
    });
    await mkdir(join(folder, 'closed'), { mode: 0o555 });
    await asOrdinaryUser(async () => {
      const closed = lockDataDir(join(folder, 'closed'));
      await expect(closed).rejects.toMatchObject({
        exitCode: 78,
        message: expect.stringContaining('may not read and write'),
      });
    });
  });
});

/** Linux, and the right to have a list of processes of one's own. */
function mayUnshare(): boolean {
  return spawnSync('unshare', ['--fork', '--pid', '--mount-proc', 'true']).status === 0;
}

/** File permissions do not bind root. */
async function asOrdinaryUser(run: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return run();
  process.seteuid?.(65_534);
  try {
    await run();
  } finally {
    process.seteuid?.(0);
  }
}
