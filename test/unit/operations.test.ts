import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSchema, NoDeprecatedCustomRule, parse, specifiedRules, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { COMMAND_OPERATIONS } from '../../src/access/command-operations.js';
import { TOOL_OPERATIONS, WRITING_OPERATIONS } from '../../src/access/tool-operations.js';
import { packageRoot } from '../../src/config/package-root.js';
import { EXAMPLES } from '../../studio/developers/examples.js';

const read = (...path: string[]): string => readFileSync(join(packageRoot(), ...path), 'utf8');
const schema = buildSchema(read('schema.graphql'));
const studyApp: Readonly<Record<string, unknown>> = await import(
  pathToFileURL(join(packageRoot(), 'examples', 'study-app', 'public', 'api.js')).href
);

/** The GraphQL of a page, block by block. */
function shownOn(page: string): readonly string[] {
  return [...read(page).matchAll(/```graphql\n([\s\S]+?)\n```/g)].map(([, block]) => block as string);
}

const pages = ['README.md', 'README.zh-CN.md', 'docs', 'docs/zh-CN'].flatMap((path) =>
  path.endsWith('.md')
    ? [path]
    : readdirSync(join(packageRoot(), path))
        .filter((name) => name.endsWith('.md'))
        .map((name) => `${path}/${name}`),
);

/** Those of the studio's pages are validated when their types are generated: scripts/studio-operations.mjs. */
const OPERATIONS = {
  'the command line': Object.values(COMMAND_OPERATIONS),
  'the tools of /mcp': [...Object.values(TOOL_OPERATIONS), ...Object.values(WRITING_OPERATIONS)],
  'the example study app': Object.values(studyApp).filter((value) => typeof value === 'string'),
  "GraphiQL's examples": EXAMPLES,
  'the documents': pages.flatMap(shownOn),
};

function problemsOf(operation: string): readonly string[] {
  const rules = [...specifiedRules, NoDeprecatedCustomRule];
  return validate(schema, parse(operation), rules).map(({ message }) => message);
}

describe('the operations of this repository', () => {
  test.each(Object.entries(OPERATIONS))('fit the schema without its deprecated fields: %s', (_where, operations) => {
    expect(operations.length).toBeGreaterThan(5);
    expect(operations.flatMap(problemsOf)).toEqual([]);
  });

  test('would be refused with a deprecated field, argument or input field', () => {
    expect(
      problemsOf('{ evaluation(id: "1") { rankings { name } } cards(filter: { grade: ["G6"] }) { totalCount } }'),
    ).toEqual([
      expect.stringContaining('Evaluation.rankings is deprecated'),
      expect.stringContaining('CardFilter.grade is deprecated'),
    ]);
  });
});
