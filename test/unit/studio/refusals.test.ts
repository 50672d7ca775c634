import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { wordingOf } from '../../../studio/app/wording.js';
import { refusalText } from '../../../studio/ui/reasons.js';

const SOURCES = [
  'search/embed.ts',
  'exchange/export/papers.ts',
  'exchange/export/paper.program.ts',
  'exchange/import/merge.ts',
];

test('refused searches, papers and merges are explained in the language of the reader', () => {
  const all = SOURCES.map((file) => readFileSync(join(packageRoot(), 'src', file), 'utf8')).join('\n');
  const written = [...all.matchAll(/BadInputError\('(\w+)', (['`])(.+?)\2/g)].map(([, field, , text]) => ({
    field: field ?? '',
    message: `${field}: ${text?.replace(/\$\{[^}]+\}/g, '7')}`,
  }));
  expect(written).toHaveLength(8);
  expect(written.filter((refusal) => refusalText(refusal, wordingOf('zh-CN')) === undefined)).toEqual([]);
  const message = 'filter: matches more than 500 cards, the limit of a paper';
  expect(refusalText({ field: 'filter', message }, wordingOf('zh-CN'))).toMatch(/^一份试卷最多 500 张卡片/);
});
