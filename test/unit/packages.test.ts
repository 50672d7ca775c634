import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { minVersion, satisfies } from 'semver';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/config/package-root.js';

/**
 * Native packages whose scripts compile nothing where the package brings a build; without its script npm always
 * compiles one.
 */
const BUILDS = ['node_modules/lmdb', 'node_modules/msgpackr-extract'];

/** What package-lock.json says of a package. */
interface Locked {
  readonly version: string;
  readonly engines?: { readonly node?: string };
  readonly hasInstallScript?: boolean;
  /** Only optional dependencies need it: npm leaves it out, without a word, where it does not fit. */
  readonly optional?: boolean;
}

const read = (file: string) => JSON.parse(readFileSync(join(packageRoot(), file), 'utf8'));
const lock: Readonly<Record<string, Locked>> = read('package-lock.json').packages;
const dependencies = Object.entries(lock).filter(([path]) => path !== '');

describe('npm install', () => {
  test('runs no script of a dependency in any version of npm, except those that look for a native build', () => {
    const withScript = dependencies.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
    // npm adds the mark when a package is added or updated. onnxruntime-node's script downloads libraries for GPUs.
    expect(withScript, 'delete "hasInstallScript" of the others from package-lock.json').toEqual(BUILDS);
  });

  test('installs only packages that support the oldest Node of each supported release', () => {
    const oldest = (read('package.json').engines.node as string).split('||').map((range) => minVersion(range));
    const unsupported = dependencies
      .filter(([, { optional }]) => optional !== true)
      .flatMap(([path, { version, engines }]) =>
        oldest.flatMap((node) =>
          node === null || satisfies(node, engines?.node ?? '*') ? [] : `${path}@${version} does not support ${node}`,
        ),
      );
    expect(unsupported).toEqual([]);
  });
});
