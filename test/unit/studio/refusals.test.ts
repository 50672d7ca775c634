import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { NotFoundError } from '../../../src/domain/errors.js';
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

test('refusals to teachers and admins are explained in the language of the reader', () => {
  const sources = [
    'src/access/api-key.ts',
    'src/domain/parse/scalars.ts',
    'src/evaluation/evaluation-service.ts',
    'src/evaluation/evaluator.ts',
    'src/evaluation/profiles.ts',
  ];
  const all = sources.map((file) => readFileSync(join(packageRoot(), file), 'utf8')).join('\n');
  const written: Readonly<Record<string, RegExp>> = {
    'this gateway does not accept API keys: start it with API_KEYS=true': /API_KEYS=true/,
    'must not hold a control character': /字符/,
    'another evaluation is running: wait for it to end': /另一次评测/,
    'has no case with a relevant card: there is nothing to measure': /没有可以评测的用例/,
    'has no case whose cards are in the notebook, and in its filter, and whose query has something to search for':
      /用例/,
  };
  for (const [message, said] of Object.entries(written)) {
    expect([message, all.includes(`'${message}'`)]).toEqual([message, true]);
    expect(refusalText({ field: null, message }, wordingOf('zh-CN'))).toMatch(said);
  }
  expect(all).toMatch(/`there is no search profile \$\{JSON\.stringify\(name\)\}`/);
  const unknown = { field: 'profile', message: 'profile: there is no search profile "a \\"b\\""' };
  expect(refusalText(unknown, wordingOf('zh-CN'))).toMatch(/^没有检索方案“a/);
});

test('what does not exist is named in the language of the reader', () => {
  for (const error of [new NotFoundError('card', 't1'), new NotFoundError('golden set', '期中', 'name')]) {
    const said = refusalText({ field: null, message: error.message }, wordingOf('zh-CN'));
    expect(said).toMatch(/^“(?:t1|期中)”可能已被删除/);
  }
});

test('a refused credential is explained in the language of the reader', () => {
  const sources = [
    'studio/api/client.ts',
    'src/access/api-key.ts',
    'src/access/authenticator.ts',
    'src/access/token-checker.ts',
  ];
  const all = sources.map((file) => readFileSync(join(packageRoot(), file), 'utf8')).join('\n');
  const sentences = [
    'the credential has characters that cannot be sent',
    'the API key is not valid',
    'this gateway does not accept credentials of this kind',
    'the token is malformed',
    'the token has expired',
    'the token is older than JWT_MAX_AGE_HOURS',
  ];
  expect(sentences.filter((sentence) => !all.includes(`'${sentence}'`))).toEqual([]);
  const said = sentences.map((message) => refusalText({ field: null, message }, wordingOf('zh-CN')));
  expect(said.filter((text) => text === undefined)).toEqual([]);
});
