import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, print } from 'graphql';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { EXAMPLES } from '../../../studio/developers/examples.js';

const read = (file: string): string => readFileSync(join(packageRoot(), file), 'utf8');
/** Without the name, by which GraphiQL calls its tab. */
const plain = (query: string): string => print(parse(query)).replace(/^query \w+ {/, '{');

test("GraphiQL's examples include every query of the README and of docs/search.md", () => {
  const shown = [...`${read('README.md')}${read('docs/search.md')}`.matchAll(/```graphql\n([\s\S]+?)\n```/g)];
  expect(shown.length).toBeGreaterThan(5);
  const examples = EXAMPLES.map(plain);
  expect(shown.map(([, query]) => plain(query ?? '')).filter((query) => !examples.includes(query))).toEqual([]);
});
