import { join } from 'node:path';
import { cruise, type ICruiseResult, type IDependency, type IModule } from 'dependency-cruiser';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/config/package-root.js';

interface Row {
  readonly folders?: readonly string[];
  readonly packages?: readonly string[];
  readonly node?: boolean;
}

interface Config {
  readonly default: { readonly forbidden: readonly object[]; readonly options: object };
  readonly TABLE: Readonly<Record<string, Row>>;
}

const { default: config, TABLE: table } = (await import(join(packageRoot(), '.dependency-cruiser.mjs'))) as Config;
let result: ICruiseResult;
beforeAll(async () => {
  const ruleSet = { forbidden: config.forbidden };
  const options = { ...config.options, baseDir: packageRoot(), validate: true, ruleSet };
  result = (await cruise(['src', 'prisma', 'chroma', 'resolvers'], options as object)).output as ICruiseResult;
});

describe('imports', () => {
  test('are those that the table in .dependency-cruiser.mjs allows, without cycles', () => {
    expect(result.modules.length).toBeGreaterThan(300);
    expect(result.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)).toEqual([]);
  });

  test('use every permission of the table', () => {
    const unused = Object.entries(table).flatMap(([folder, row]) => {
      const used = result.modules
        .filter(({ source }) => isIn(folder, source))
        .flatMap(({ dependencies }) => dependencies);
      const missing = [
        ...(row.folders ?? []).filter((one) => one !== '*' && !used.some(({ resolved }) => isIn(one, resolved))),
        ...(row.packages ?? []).filter((one) => !used.some((dependency) => isPackage(one, dependency))),
        ...(row.node === true && !used.some(({ coreModule }) => coreModule) ? ['node:*'] : []),
      ];
      return missing.map((one) => `${folder}: ${one}`);
    });
    expect(unused).toEqual([]);
  });
});

function isIn(folder: string, path: IModule['source']): boolean {
  return new RegExp(folder.endsWith('.ts') ? `^${folder}$` : `^${folder}/`).test(path);
}

function isPackage(name: string, { resolved, module }: IDependency): boolean {
  const path = name.replace('*', '');
  return resolved.includes(`node_modules/${path}`) || module === name;
}
