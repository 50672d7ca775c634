import { beforeAll, expect, test } from 'vitest';
import { sampleNotebook } from '../../../bench/card-files.js';
import { memoryEngine } from '../../../bench/memory-engine.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import type { Engine } from '../../../src/search/engine.js';
import { BUILTIN_SETTINGS, requestBy } from '../../../src/search/profile.js';

let engine: Engine;
beforeAll(async () => {
  const cards = await sampleNotebook();
  const [first] = cards;
  if (first === undefined) throw new Error('no sample');
  const own = (id: string, topic: string) => ({ ...first, id, questionText: '看图回答', topicTags: [topic] });
  engine = await memoryEngine([...cards, own('share', '求分率'), own('sets', '三量容斥')]);
});

async function firstHit(text: string): Promise<string | undefined> {
  const asked = { operation: 'hybridSearch', subject: { kind: 'text', text }, filter: {} } as const;
  const request = requestBy(BUILTIN_SETTINGS, asked, 5);
  return (await engine.search(DEFAULT_VIEWER, request, new AbortController().signal)).hits[0]?.card.id;
}

// jieba reads 懂二力, 做二力, 求求, 做三量: without the names, these texts find nothing.
test.each([
  ['老师我不懂二力平衡', 'sample-zh-092'],
  ['求二力平衡的题目', 'sample-zh-092'],
  ['老师我不懂求分率', 'share'],
  ['求求分率的题目', 'share'],
  ['不会做三量容斥', 'sets'],
])('a topic is found by a text whose neighbouring words take its characters: %s', async (text, card) => {
  expect(await firstHit(text)).toBe(card);
});
