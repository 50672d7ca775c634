import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import type { DescribedLabel } from '../../../src/domain/ports/labels.js';
import { atOnce } from '../../../src/domain/steps.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { analyserOf } from '../../../src/lexical/terms.js';
import { Homophones, type Notebook } from '../../../src/search/query/homophones.js';
import { LabelLookup } from '../../../src/search/query/label-lookup.js';
import { NamesBySound } from '../../../src/search/query/names-by-sound.js';
import { EnglishWords } from '../../../src/text/english-words.js';
import { Phrases } from '../../../src/text/phrases.js';
import { Pinyin } from '../../../src/text/pinyin.js';
import { Synonyms, schoolSynonyms } from '../../../src/text/synonyms.js';
import { schoolTerms, Tokenizer } from '../../../src/text/tokenizer.js';
import { cardOf } from '../../support/generators.js';
import { vocabularyOf } from '../../support/vocabulary.js';

const tokenizer = new Tokenizer();
const homophones = new Homophones(tokenizer);
const english = new EnglishWords();
const synonyms = new Synonyms(new Phrases(tokenizer));
const { signal } = new AbortController();

describe('a text that sounds like a school term', () => {
  const notebook: Notebook = {
    names: async () => [],
    isUnknown: (word) => word !== 'gongshi',
    isRight: (word) => english.has(word),
    called: (name) => synonyms.called(name),
  };
  const read = (text: string): Promise<string> => homophones.read(text, notebook);

  test.each([
    ['another character of the same sound', '勾股定里', '勾股定理'],
    ['at the start', '够股定理', '勾股定理'],
    ['in a name of three characters', '抛物现', '抛物线'],
    ['with punctuation around', '“抛物现”？', '“抛物线”？'],
    ['two characters', '光和做用', '光合作用'],
    ['by another reading of a character', '常方形', '长方形'],
    ['in a text', '请问一元二次不等是怎么解', '请问一元二次不等式怎么解'],
    ['beside letters and formulas', '由cos A求二次涵数的值', '由cos A求二次函数的值'],
    ['in traditional characters', '一元二次方乘', '一元二次方程'],
    ['pinyin', 'gougudingli', '勾股定理'],
    ['pinyin in syllables', 'gou gu ding li', '勾股定理'],
    ['pinyin in words', 'Yiyuan erci fangcheng', '一元二次方程'],
    ['pinyin with tones', 'gōugǔ dìnglǐ', '勾股定理'],
    ['pinyin with an apostrophe', "ji'ou xing", '奇偶性'],
    ['pinyin with v for ü', 'oumudinglv', '欧姆定律'],
    ['pinyin with ü', 'oumu dinglü', '欧姆定律'],
    ['pinyin beside Chinese', 'gougudingli怎么用', '勾股定理怎么用'],
    ['pinyin of a word of a term', 'hanshu', '函数'],
    ['pinyin of one term with two names', 'hanshutuxiang', '函数图象'],
  ])('is read as it: %s', async (_, text, expected) => {
    expect(await read(text)).toBe(expected);
  });

  test.each([
    ['a term', '勾股定理'],
    ['of two terms that sound alike', '质数和指数'],
    ['a word of the dictionary', '化学势'],
    ['with a word of the dictionary in the term', '负数的定义'],
    ['two words of the dictionary', '随机时间'],
    ['a word that reaches beyond the term', '一元二次方成立'],
    ['two characters as in the term, in a text', '得到函数的图象'],
    ['two characters as in the term, at the start of a text', '即函数值随着自变量的增大而减小'],
    ['one character as in the term', '去坟墓'],
    ['a name of two characters', '吴丽'],
    ['pinyin of two terms', 'zhishu'],
    ['pinyin that is an English word', 'wanting'],
    ['pinyin that a card has', 'gongshi'],
    ['pinyin of no term', 'women jintian qu gongyuan'],
    ['one syllable', 'xian'],
    ['pinyin in a longer name', 'hanshu2'],
    ['pinyin in a command', '\\hanshu'],
    ['pinyin in English', 'what is hanshu in English'],
    ['more than 60 characters', `${'我'.repeat(57)}勾股定里`],
    ['nothing', ''],
  ])('is not changed: %s', async (_, text) => {
    expect(await read(text)).toBe(text);
  });

  test('is not changed if it is a school term itself', async () => {
    const terms = [...schoolSynonyms().flatMap(({ names, said = [] }) => [...names, ...said]), ...schoolTerms()];
    for (const term of terms) expect(await read(term)).toBe(term);
  });
});

describe('a text that sounds like a label', () => {
  function lookupIn(labels: readonly string[], questionText = '题目', described: readonly DescribedLabel[] = []) {
    const index = new LexicalIndex(analyserOf(tokenizer));
    index.set(cardOf({ id: 'a', questionText, topicTags: labels }));
    const lookup = new LabelLookup(english, homophones);
    return {
      index,
      read: (text: string) => lookup.respelled(index, vocabularyOf(synonyms, described), text, signal),
    };
  }

  test('is read as it, before a school term', async () => {
    expect(await lookupIn(['班主任语录']).read('班主人语录')).toBe('班主任语录');
    expect(await lookupIn(['导数']).read('daoshu')).toBe('导数');
    expect(await lookupIn(['倒数']).read('daoshu')).toBe('倒数');
    expect(await lookupIn(['质数', '指数']).read('zhishu')).toBe('zhishu');
  });

  test('is read as its alias', async () => {
    const alias = { kind: 'topicTags', name: '勾股定理', aliases: ['陈子定理'], parent: null } as const;
    expect(await lookupIn(['勾股定理'], '题目', [alias]).read('chenzidingli')).toBe('陈子定理');
  });

  test('is read as it although the dictionary has the word, unless a card has it', async () => {
    expect(await lookupIn(['串联电路']).read('串连电路')).toBe('串联电路');
    expect(await lookupIn(['串联电路'], '把电池串连起来').read('串连电路')).toBe('串连电路');
    expect(await lookupIn([]).read('串连电路')).toBe('串连电路');
    expect(await lookupIn(['随机事件']).read('随机时间')).toBe('随机时间');
  });

  test('is read as a label that came later, and not as one that is gone', async () => {
    const { index, read } = lookupIn(['班主任语录']);
    index.set(cardOf({ id: 'b', topicTags: ['课代表笔记'] }));
    expect(await read('课代表比记')).toBe('课代表笔记');
    index.delete('a');
    expect(await read('班主人语录')).toBe('班主人语录');
  });

  test('may have a slip in an English word, too', async () => {
    expect(await lookupIn(['quadratic equation', '班主任语录']).read('班主人语录 quadratc')).toBe(
      '班主任语录 quadratic',
    );
  });
});

test('no question, solution or label of the sample notebook is changed', async () => {
  const lines = ['zh', 'en'].flatMap((language) =>
    readFileSync(join(packageRoot(), 'sample', `notebook.${language}.jsonl`), 'utf8')
      .trim()
      .split('\n'),
  );
  const cards = lines.map((line, place) => ({ ...JSON.parse(line), id: `${place}` }));
  const index = new LexicalIndex(analyserOf(tokenizer));
  const lookup = new LabelLookup(english, homophones);
  const vocabulary = vocabularyOf();
  for (const { id, questionText, topicTags, errorTypes } of cards) {
    index.set(cardOf({ id, questionText, topicTags, errorTypes }));
  }
  const texts = cards.flatMap(({ questionText, studentSolutionText, topicTags, errorTypes }) => [
    ...[questionText, studentSolutionText ?? ''].flatMap((text: string) => text.split(/[，。；？！,;?!\n]/)),
    ...topicTags,
    ...errorTypes,
  ]);
  expect(texts.length).toBeGreaterThan(1_000);
  for (const text of texts) expect(await lookup.respelled(index, vocabulary, text, signal)).toBe(text);
});

describe('names by their sound', () => {
  const characters = '二三四五六七八九十百千万'.split('');
  const alike = characters.flatMap((one) => characters.map((other) => `${'一'.repeat(40)}${one}${other}`));
  const heard = { text: '一'.repeat(60), readings: Array(60).fill(['yi']) };
  const stepsOf = (steps: Generator): number => [...steps].length;

  test('compare one name in a step: a student may have thousands that sound alike at the start', () => {
    const names = atOnce(NamesBySound.read(alike, new Pinyin()));
    expect(stepsOf(names.at(heard, 0))).toBe(alike.length);
    expect(stepsOf(names.spelled('yi'.repeat(30)))).toBe(alike.length);
  });

  test('leave out those that are longer than any text that is read', () => {
    const names = atOnce(
      NamesBySound.read(
        alike.map((name) => `${name}${'一'.repeat(20)}`),
        new Pinyin(),
      ),
    );
    expect(stepsOf(names.at(heard, 0))).toBe(0);
    expect(stepsOf(names.spelled('yi'.repeat(30)))).toBe(0);
  });
});
