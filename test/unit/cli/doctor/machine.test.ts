import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { found, ok } from '../../../../src/cli/doctor/finding.js';
import { checkDisk, checkGlibc, checkMemory, checkNode } from '../../../../src/cli/doctor/machine.js';

const GB = 1_000_000_000;

describe('the doctor, on the machine', () => {
  test.each([
    ['20.18.9', 'problem'],
    ['20.19.0', 'ok'],
    ['21.7.0', 'problem'],
    ['22.11.0', 'problem'],
    ['22.12.0', 'ok'],
    ['23.5.0', 'problem'],
    ['24.0.0', 'ok'],
    ['26.1.0', 'ok'],
  ])('Node %s: %s', (version, state) => {
    expect(checkNode(version).state).toBe(state);
  });

  test.each([
    [null, 'linux', 'problem'],
    ['2.17', 'linux', 'problem'],
    ['2.28', 'linux', 'ok'],
    ['2.41', 'linux', 'ok'],
    ['3.0', 'linux', 'ok'],
    [null, 'darwin', 'ok'],
  ])('glibc %s on %s: %s', (version, platform, state) => {
    expect(checkGlibc(version, platform).state).toBe(state);
  });

  test('an older glibc is reported with the build of Chroma that it gets', () => {
    expect(checkGlibc('2.36', 'linux').says).toContain('npm run setup');
    expect(checkGlibc('2.38', 'linux').says).not.toContain('npm run setup');
  });

  test('memory: a model that does not fit, one that barely fits, one that fits', () => {
    expect(checkMemory(9_000, 4 * GB, 8 * GB).state).toBe('problem');
    expect(checkMemory(900, 1 * GB, 8 * GB).state).toBe('warning');
    expect(checkMemory(900, 4 * GB, 8 * GB).state).toBe('ok');
  });

  test('disk: of a folder that need not exist yet', async () => {
    const folder = join(tmpdir(), 'errata-not-there', 'nor-this');
    const here = await checkDisk('disk', folder);
    expect(here.says).toMatch(/^\d+ MB are free for .*nor-this$/);
    expect((await checkDisk('disk', folder, Number.MAX_SAFE_INTEGER)).state).toBe('problem');
  });

  test('an error of a check is reported as a problem with advice', async () => {
    const finding = await found('part', 'do this', () => Promise.reject(new Error('broken')));
    expect(finding).toEqual({ part: 'part', state: 'problem', says: 'broken', advice: 'do this' });
    expect(await found('part', 'do this', async () => ok('part', 'fine'))).toMatchObject({ advice: null });
  });
});
