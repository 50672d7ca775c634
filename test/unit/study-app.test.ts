import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/config/package-root.js';

const read = (...path: string[]): string => readFileSync(join(packageRoot(), ...path), 'utf8');
const app = join('examples', 'study-app');
const schema = buildSchema(read('schema.graphql'));

describe('the example study app', () => {
  test('has under 600 lines', () => {
    const files = readdirSync(join(packageRoot(), app), { recursive: true, encoding: 'utf8' });
    const texts = files.filter((file) => /\.(js|json|html|css|svg|md)$/.test(file) && !/node_modules|lock/.test(file));
    expect(texts.flatMap((file) => read(app, file).trimEnd().split('\n')).length).toBeLessThan(600);
  });

  test('uses the package versions that the gateway was tested with', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    expect({ ...dependencies, ...devDependencies }).toMatchObject(JSON.parse(read(app, 'package.json')).dependencies);
  });
});

test('the TypeScript client in docs/clients.md has the verdicts of the schema', () => {
  const union = /type Verdict = ([^;]+);/.exec(read('docs', 'clients.md'))?.[1] ?? '';
  const values = [...union.matchAll(/'(\w+)'/g)].map(([, value]) => value as string);
  const verdict = schema.getType('Verdict') as unknown as { getValues(): readonly { name: string }[] };
  expect(
    verdict
      .getValues()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(values.sort());
});
