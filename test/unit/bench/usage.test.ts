import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describe, expect, test } from 'vitest';
import { asUsageError, helpOf, optionsOf, refuseUnknownOptions } from '../../../bench/usage.js';
import { packageRoot } from '../../../src/config/package-root.js';

const sourceOf = (name: string): string => readFileSync(join(packageRoot(), 'bench', `${name}.ts`), 'utf8');
const names = [
  ...new Set([...sourceOf('main').matchAll(/import\('\.\/([\w-]+)\.js'\)/g)].map(([, name = '']) => name)),
];

describe('the help text of a benchmark', () => {
  test('is known for every benchmark', () => expect(names.length).toBeGreaterThan(30));

  test.each(names)('of %s says how it is called, and names its options', (name) => {
    expect(helpOf(name)).toContain(`\n    npm run bench -- ${name}`);
    const source = sourceOf(name);
    const [, defaults = ''] = /read(?:Options|Arguments)\(\{([^}]*)\}/.exec(source) ?? [];
    const used = [...defaults.matchAll(/'?([a-z][a-z-]*)'?: /g)].map(([, option]) => `--${option}`);
    expect(used.filter((option) => !optionsOf(name).has(option as string))).toEqual([]);
  });
});

describe('a wrong option', () => {
  test.each([['--card=1'], ['--Cards'], ['-c']])('%s is refused in one line, with exit code 64', (option) => {
    const refusal = expect.objectContaining({
      exitCode: 64,
      message: expect.stringMatching(/^unknown option -.*--help/),
    });
    expect(() => refuseUnknownOptions('search', ['--cards', '5', option])).toThrow(refusal);
  });

  test('is not a value, a negative number or an option of the benchmark', () => {
    expect(() => refuseUnknownOptions('search', ['--cards=5', '--threads', '-1', 'file.jsonl'])).not.toThrow();
  });

  test.each([
    [['--cards'], "Option '--cards <value>' argument missing; npm run bench -- search --help lists the options"],
    [['x'], "Unexpected argument 'x'; npm run bench -- search --help lists the options"],
  ])('that parseArgs refuses is one line: %j', (args, message) => {
    const refused = (): unknown => {
      try {
        return parseArgs({ args, options: { cards: { type: 'string' } } });
      } catch (thrown) {
        return asUsageError('search', thrown);
      }
    };
    expect(refused()).toMatchObject({ message, exitCode: 64 });
  });
});
