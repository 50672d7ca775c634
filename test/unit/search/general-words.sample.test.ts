import { beforeAll, expect, test } from 'vitest';
import type { SearchOperation } from '../../../src/domain/search.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import type { Engine } from '../../../src/search/engine.js';
import { BUILTIN_SETTINGS, requestBy } from '../../../src/search/profile.js';
import { sampleEngine } from '../../support/sample-engine.js';

let engine: Engine;
beforeAll(async () => {
  engine = await sampleEngine();
});

async function firstHit(operation: SearchOperation, text: string) {
  const asked = { operation, subject: { kind: 'text', text }, filter: {} } as const;
  const request = requestBy(BUILTIN_SETTINGS, asked, 5);
  const { hits } = await engine.search(DEFAULT_VIEWER, request, new AbortController().signal);
  return hits[0]?.card;
}

test.each([
  ['quadratic formula', 'discriminant of a quadratic', 'chemical formulas'],
  ['how to use the quadratic formula', 'discriminant of a quadratic', 'chemical formulas'],
  ['求根公式', '一元二次方程', '完全平方公式'],
  ['动量守恒', 'momentum and impulse', '质量守恒定律'],
  ['quotient rule', '导数的运算法则', 'chain rule'],
  ['law of segregation', '基因的分离定律', 'law of reflection'],
  ['comparing law of segregation and mitosis', '基因的分离定律', 'law of reflection'],
])('%s is about %s, and not about %s, which shares a general word with it', async (text, topic) => {
  expect((await firstHit('byConcept', text))?.topicTags).toContain(topic);
});

test.each([
  ['chain rule', 'chain rule'],
  ['质量守恒', '质量守恒定律'],
  ['化学式', 'chemical formulas'],
  ['law of refraction', 'law of reflection'],
])('%s still finds the topic %s', async (text, topic) => {
  expect((await firstHit('byConcept', text))?.topicTags).toContain(topic);
});

test('a general word is what an error is about', async () => {
  expect((await firstHit('byError', 'forgot the formula'))?.errorTypes).toContain('wrong formula');
});

test.each([
  ['动能定理', 'kinetic energy'],
  ['work-energy theorem', 'kinetic energy'],
  ['ionic equation', '化学方程式的书写'],
])('%s, which no card has, finds the topic that it is a kind of: %s', async (text, topic) => {
  expect((await firstHit('hybridSearch', text))?.topicTags).toContain(topic);
});

test.each([
  ['动量守恒', 'momentum and impulse'],
  ['conservation of momentum', 'momentum and impulse'],
  ['求根公式', '一元二次方程'],
  ['set operations', '集合间的基本关系'],
  ['龟鹤问题', 'heads and legs problems'],
])('%s finds the topic that has all its words but general ones: %s', async (text, topic) => {
  expect((await firstHit('hybridSearch', text))?.topicTags).toContain(topic);
});

test.each([
  ['addition principle', 'addition and subtraction within 20'],
  ['加法原理', 'addition and subtraction within 20'],
  ['余数定理', 'division with remainder'],
])('%s finds nothing, although a topic has a word of it: %s', async (text) => {
  expect(await firstHit('hybridSearch', text)).toBeUndefined();
});

test.each([
  ['prime number', 'subject-verb agreement'],
  ['solar system', 'systems of linear equations'],
  ['nervous system', 'systems of linear equations'],
  ['simple pendulum', 'present perfect or past simple'],
  ['平抛运动', '受力分析'],
])(
  '%s, of which no card has two words, finds nothing, although one of them is common with cards about %s',
  async (text) => {
    expect(await firstHit('hybridSearch', text)).toBeUndefined();
  },
);

test('the name of a part of a subject that no card has finds the topics of this part', async () => {
  expect((await firstHit('hybridSearch', 'reading comprehension'))?.topicTags).toContain('reading for detail');
});
