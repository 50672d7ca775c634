import { expect, test } from 'vitest';
import { parseFileName, parseMapping } from '../../../src/domain/parse/import.js';

test.each([
  ['cards.xls', 'name: is a workbook of Excel 97: save it as .xlsx'],
  ['cards.constructor', 'name: must end in .xlsx, .csv, .json or .jsonl'],
])('the name %s is refused with its reason', (name, reason) => {
  expect(() => parseFileName(name, 'name')).toThrow(reason);
});

test.each([{ columns: [] }, { defaults: 'x' }, { values: { subject: 1 } }])(
  'the mapping %j needs an object',
  (given) => {
    expect(() => parseMapping(given, '')).toThrow(/^[\w.]+: must be an object$/);
  },
);
