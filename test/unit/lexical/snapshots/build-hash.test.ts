import { appendFileSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../../../src/config/package-root.js';
import { buildHash } from '../../../../src/lexical/snapshots/build-hash.js';
import { folderOfFile } from '../../../support/folder.js';

const { path: root } = await folderOfFile('build');
beforeAll(() => {
  for (const name of ['package.json', 'src/domain', 'src/text', 'src/lexical']) {
    cpSync(join(packageRoot(), name), join(root, name), { recursive: true });
  }
});

const name = (): string => buildHash({ code: join(root, 'src'), root });

test('the same build has the same id in any folder', () => {
  expect(name()).toMatch(/^[0-9a-f]{64}$/);
  expect(name()).toBe(buildHash({ code: join(packageRoot(), 'src'), root: packageRoot() }));
});

test.each(['package.json', 'src/text/stem.ts', 'src/text/k12-words.txt', 'src/lexical/terms.ts', 'src/domain/card.ts'])(
  'another %s is another build',
  (file) => {
    const before = name();
    appendFileSync(join(root, file), ' ');
    expect(name()).not.toBe(before);
  },
);

test('files other than code, such as synonyms or source maps, do not change the build', () => {
  const before = name();
  writeFileSync(join(root, 'src/text/notes.txt'), '.');
  writeFileSync(join(root, 'src/text/stem.js.map'), '.');
  expect(name()).toBe(before);
});
