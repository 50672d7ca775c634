import { expect, test } from 'vitest';
import { Phrases } from '../../../src/text/phrases.js';
import { Synonyms } from '../../../src/text/synonyms.js';
import { Tokenizer } from '../../../src/text/tokenizer.js';

const phrases = new Phrases(new Tokenizer());
const synonyms = new Synonyms(phrases);

test('what students say instead of a name is found in a text, but not added to one', () => {
  const own = new Synonyms(phrases, [
    { names: ['lost root', '丢根'], said: ['答案少一个', 'x=±a'], broader: 'slip' },
    { names: ['slip', '失误'], said: ['oops'], broader: null },
  ]);
  expect(own.of('答案')).toEqual([]);
  expect(own.of('我的答案少一个')).toEqual(['lost root', '丢根', 'slip', '失误']);
  expect(own.said('我的答案少一个')).toEqual(['答案少一个']);
  expect(own.of('so x = ±a')).toEqual(['lost root', '丢根', 'slip', '失误']);
  expect(own.of('丢根')).toEqual(['lost root', 'slip', '失误']);
  expect(own.below('slip')).toEqual(['lost root', '丢根']);
  expect([own.called('答案少一个'), own.called('oops!'), own.called('an oops')]).toEqual([
    ['lost root', '丢根'],
    ['slip', '失误'],
    [],
  ]);
});

test.each([
  ['F=ma', "Newton's second law"],
  ['what is pV = nRT', 'ideal gas law'],
  ['b² - 4ac', 'discriminant'],
  ['a**2 + b**2 = c**2', '勾股定理'],
])('a law is also called by its formula: %s', (formula, law) => {
  expect(synonyms.of(formula)).toContain(law);
});

test.each([
  ['got the signs wrong', '符号错误'],
  ['the wrong tense', '时态错误'],
  ['a spelling mistake', '拼写错误'],
  ['mixed up the radius and the diameter', '半径和直径混淆'],
  ['时态不对', 'tense error'],
  ['forgot converting units', '单位未换算'],
  ["the units weren't converted", '单位未换算'],
  ['axes of symmetry', '对称轴'],
  ['a lens', '透镜'],
])('words for errors and irregular plurals are read as those of names: %s', (text, other) => {
  expect(synonyms.of(text)).toContain(other);
});
