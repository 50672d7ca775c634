import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describe, expect, test } from 'vitest';
import { casesOf } from '../../../bench/golden-quality.js';
import { asUsageError, helpOf } from '../../../bench/usage.js';
import { packageRoot } from '../../../src/config/package-root.js';

const sourceOf = (name: string): string => readFileSync(join(packageRoot(), 'bench', `${name}.ts`), 'utf8');
const names = [
  ...new Set([...sourceOf('main').matchAll(/import\('\.\/([\w-]+)\.js'\)/g)].map(([, name = '']) => name)),
];

/** The options that the indented lines of the help text name. */
function optionsOf(name: string): readonly string[] {
  const usage = helpOf(name).match(/^ {4}.*$/gm) ?? [];
  return usage.join('\n').match(/--[a-z][a-z-]*/g) ?? [];
}

test('every benchmark but the one that measures nothing reports a table, for --json', () => {
  const printing = names.filter((name) => !sourceOf(name).includes('run.report('));
  expect(printing).toEqual(['tiny-models']);
});

describe('the help text of a benchmark', () => {
  test('is known for every benchmark', () => expect(names.length).toBeGreaterThan(30));

  test.each(names)('of %s says how it is called, and names the options that it reads', (name) => {
    expect(helpOf(name)).toContain(`\n    npm run bench -- ${name}`);
    const [call, defaults = ''] = /read(?:Options|Arguments)\(\{([^}]*)\}/.exec(sourceOf(name)) ?? [];
    expect(call, 'unknown options are refused where the options are read').toBeDefined();
    const used = [...defaults.matchAll(/'?([a-z][a-z-]*)'?: /g)].map(([, option]) => `--${option}`);
    expect(used.filter((option) => !optionsOf(name).includes(option))).toEqual([]);
  });
});

test.each([
  [['--cards'], "Option '--cards <value>' argument missing; npm run bench -- search --help lists the options"],
  [['--Cards=1'], "Unknown option '--Cards'; npm run bench -- search --help lists the options"],
  [['x'], "Unexpected argument 'x'; npm run bench -- search --help lists the options"],
])('wrong options are refused in one line, with exit code 64: %j', (args, message) => {
  const refused = (): unknown => {
    try {
      return parseArgs({ args, options: { cards: { type: 'string' } } });
    } catch (thrown) {
      return asUsageError('search', thrown);
    }
  };
  expect(refused()).toMatchObject({ message, exitCode: 64 });
});

test('golden cases that search from a card are refused in one line, with the number of the line', async () => {
  const golden = join(packageRoot(), 'sample', 'golden.jsonl');
  const refusal = { message: `${golden}: line 15 has no text to search for`, exitCode: 66 };
  await expect(casesOf(golden)).rejects.toMatchObject(refusal);
});
