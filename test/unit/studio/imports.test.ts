import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from '@swc/core';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';

/** What the studio stands on, by folder: the page itself is small, GraphiQL brings React along. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  developers: ['graphiql', 'react', 'react-dom'],
  ui: ['katex', 'preact'],
};
const EVERYWHERE = ['preact'];

const folder = join(packageRoot(), 'studio');
/** The modules of the gateway that it is bundled with. */
const { SHARED } = (await import(join(packageRoot(), 'scripts', 'setup', 'studio.mjs'))) as {
  SHARED: readonly string[];
};
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));

/** Everything that a file imports, lazily loaded modules included, and types if they are wanted. */
function importsOf(source: string, hasTypes = true): readonly string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      for (const one of node) visit(one);
    } else if (typeof node === 'object' && node !== null) {
      const {
        type,
        source,
        callee,
        arguments: given,
        typeOnly,
      } = node as Record<string, { type?: string; value?: string }> & {
        type?: string;
        typeOnly?: boolean;
        arguments?: readonly { expression: { value?: string } }[];
      };
      const isWanted = hasTypes || !typeOnly;
      if (/^(Import|Export)/.test(String(type)) && source?.value !== undefined && isWanted) found.push(source.value);
      if (callee?.type === 'Import') found.push(String(given?.[0]?.expression.value));
      for (const inner of Object.values(node)) visit(inner);
    }
  };
  visit(parseSync(source, { syntax: 'typescript', tsx: true }));
  return found;
}

/** The file of the repository that a file imports, such as `src/domain/attachment.ts`. */
function fileOf(from: string, imported: string): string {
  return relative(packageRoot(), resolve(packageRoot(), dirname(from), imported)).replace(/\.js$/, '.ts');
}

test('the studio imports of the gateway only what it is bundled with, and only the packages that its table names', () => {
  expect(sources.length).toBeGreaterThan(50);
  const wrong = sources.flatMap((name) => {
    const allowed = [...EVERYWHERE, ...(PACKAGES[name.split('/')[0] ?? ''] ?? [])];
    const path = join('studio', name);
    const isAllowed = (one: string): boolean => {
      if (!one.startsWith('.')) return allowed.includes(one.split('/')[0] ?? '');
      const file = fileOf(path, one);
      return file.startsWith('studio/') || SHARED.includes(file);
    };
    return importsOf(readFileSync(join(packageRoot(), path), 'utf8'))
      .filter((one) => !isAllowed(one))
      .map((one) => `${name}: ${one}`);
  });
  expect(wrong).toEqual([]);
});

test('what the studio is bundled with imports nothing else but types', () => {
  const wrong = SHARED.flatMap((path) =>
    importsOf(readFileSync(join(packageRoot(), path), 'utf8'), false)
      .filter((one) => !SHARED.includes(fileOf(path, one)))
      .map((one) => `${path}: ${one}`),
  );
  expect(wrong).toEqual([]);
});

test('the check detects every kind of import', () => {
  const source =
    "import a from 'a'; import type { B } from 'b'; export { c } from 'c'; const d = import('d'); type E = import('e').E;";
  expect(importsOf(source)).toEqual(['a', 'b', 'c', 'd']);
  expect(importsOf(source, false)).toEqual(['a', 'c', 'd']);
});
