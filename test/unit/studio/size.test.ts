import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { studioFolder } from '../../../src/config/package-root.js';

const files = join(studioFolder(), 'studio');
const text = (name: string): string => readFileSync(join(files, name), 'utf8');
const compressed = (name: string): number => statSync(join(files, `${name}.gz`)).size;

/** The scripts and style sheets that a page loads, those that it loads later included. */
function loadedBy(page: string): readonly string[] {
  const html = readFileSync(join(studioFolder(), page), 'utf8');
  const seen = new Set([...html.matchAll(/\.\/studio\/([\w.-]+\.(?:js|css))/g)].map(([, name]) => String(name)));
  for (const name of seen) {
    if (!name.endsWith('.js')) continue;
    for (const [, other] of text(name).matchAll(/["'`.]\/?(?:studio\/)?([\w.-]+-[\w-]{8}\.(?:js|css))["'`]/g))
      seen.add(String(other));
  }
  return [...seen];
}

describe('the bundled studio', () => {
  test('takes at most 250 kB compressed, KaTeX with its style sheet included', () => {
    const loaded = loadedBy('index.html');
    expect(loaded.some((name) => name.startsWith('katex') && name.endsWith('.css'))).toBe(true);
    expect(loaded.some((name) => /graphiql|codemirror/i.test(name))).toBe(false);
    expect(loaded.reduce((sum, name) => sum + compressed(name), 0)).toBeLessThanOrEqual(250_000);
  });

  test('loads nothing from other origins, and has no fonts for old browsers', () => {
    for (const name of loadedBy('index.html').filter((one) => one.endsWith('.css'))) {
      expect(text(name)).not.toMatch(/url\((?!["']?\.\/|["']?[\w-]+\.woff2)/);
    }
    expect(readdirSync(files).filter((name) => /\.(woff|ttf)$/.test(name))).toEqual([]);
  });
});
