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
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));

/** Everything that a file imports, types and lazily loaded modules included. */
function importsOf(source: string): readonly string[] {
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
      } = node as Record<string, { type?: string; value?: string }> & {
        type?: string;
        arguments?: readonly { expression: { value?: string } }[];
      };
      if (/^(Import|Export)/.test(String(type)) && source?.value !== undefined) found.push(source.value);
      if (callee?.type === 'Import') found.push(String(given?.[0]?.expression.value));
      for (const inner of Object.values(node)) visit(inner);
    }
  };
  visit(parseSync(source, { syntax: 'typescript', tsx: true }));
  return found;
}

test('the studio imports nothing of the gateway, and only the packages that its table names', () => {
  expect(sources.length).toBeGreaterThan(50);
  const wrong = sources.flatMap((name) => {
    const allowed = [...EVERYWHERE, ...(PACKAGES[name.split('/')[0] ?? ''] ?? [])];
    return importsOf(readFileSync(join(folder, name), 'utf8'))
      .filter((one) =>
        one.startsWith('.')
          ? relative(folder, resolve(folder, dirname(name), one)).startsWith('..')
          : !allowed.includes(one.split('/')[0] ?? ''),
      )
      .map((one) => `${name}: ${one}`);
  });
  expect(wrong).toEqual([]);
});

test('the check detects every kind of import', () => {
  const source =
    "import a from 'a'; import type { B } from 'b'; export { c } from 'c'; const d = import('d'); type E = import('e').E;";
  expect(importsOf(source)).toEqual(['a', 'b', 'c', 'd']);
});
