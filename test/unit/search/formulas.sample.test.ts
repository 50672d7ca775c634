import { beforeAll, expect, test } from 'vitest';
import { searchFor } from '../../../bench/memory-engine.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import type { Engine } from '../../../src/search/engine.js';
import { sampleEngine } from '../../support/sample-engine.js';

let engine: Engine;
beforeAll(async () => {
  engine = await sampleEngine();
});

async function found(text: string): Promise<readonly string[]> {
  const { hits } = await engine.search(DEFAULT_VIEWER, searchFor(text, 5), new AbortController().signal);
  return hits.map(({ card }) => card.id);
}

// The labels that are likely by the numbers and signs of these texts are those of other cards.
test.each([
  ['alone', 'kx^2+4x+1=0', 'sample-en-058'],
  ['in another notation', '$k x^{2} + 4x + 1 = 0$', 'sample-en-058'],
  ['in talk', '怎么解 kx²+4x+1=0', 'sample-en-058'],
  ['within a longer formula of the card', '2(x+1)=3', 'sample-zh-074'],
  ['with its unit', '2 m/s²', 'sample-zh-077'],
])('a formula %s finds the card with it first', async (_, text, card) => {
  expect((await found(text))[0]).toBe(card);
});

test('a fraction in Chinese words finds the cards that have it in digits', async () => {
  expect(await found('今天吃了全部的四分之一')).toContain('sample-zh-027');
  expect((await found('第一天看了四分之一'))[0]).toBe('sample-zh-011');
});

test('a formula that no card has finds those of its likely labels', async () => {
  expect((await found('402-256')).slice(0, 2).sort()).toEqual(['sample-zh-003', 'sample-zh-005']);
});
