import { expect, test } from 'vitest';
import { Phrases } from '../../../src/text/phrases.js';
import { Synonyms } from '../../../src/text/synonyms.js';
import { Tokenizer } from '../../../src/text/tokenizer.js';
import { expectGrowthBelow } from '../../support/cpu-time.js';

const synonyms = new Synonyms(new Phrases(new Tokenizer()));

test.each([
  ['老师我不懂二力平衡', '二力平衡', 'balanced forces'],
  ['我想问一下三角形的高要怎么学', '三角形的高', 'altitude of a triangle'],
  ['什么是点到直线的距离', '点到直线的距离', 'distance from a point to a line'],
])('a name whose first or last characters are joined to their neighbours is found: %s', (text, name, other) => {
  expect(synonyms.said(text)).toContain(name);
  expect(synonyms.of(text)).toContain(other);
});

test.each([
  ['within a word', '无限不循环小数', 'recurring decimal'],
  ['of two characters, across words', '气压强度', 'pressure'],
  ['within a longer name', '等比数列求和', 'sequence'],
])('a name %s is not found: %s', (_, text, other) => {
  expect(synonyms.of(text)).not.toContain(other);
});

test('joined names are found in time in proportion to the length of the text', () => {
  const ofNames = (times: number): (() => unknown) => {
    const text = '不懂二力平衡'.repeat(times);
    return () => synonyms.of(text);
  };
  expectGrowthBelow(8, ofNames, 100);
});
