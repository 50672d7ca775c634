import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';

const { GENERATED, generatedOperations } = await import(join(packageRoot(), 'scripts', 'studio-operations.mjs'));

test('the operations of the studio are valid and their types are up to date: `npm run schema` generates them', async () => {
  expect(readFileSync(GENERATED, 'utf8')).toBe(await generatedOperations());
});
