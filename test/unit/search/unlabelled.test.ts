import { expect, test } from 'vitest';
import { memoryEngine } from '../../../bench/memory-engine.js';
import { parseNewCard } from '../../../src/domain/parse/card.js';
import type { SearchOperation } from '../../../src/domain/search.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { BUILTIN_SETTINGS, requestBy } from '../../../src/search/profile.js';

type TestCard = readonly [id: string, question: string, topic: string | null, solution: string];

/** As teachers leave them: some cards have topics, and some have none. */
const CARDS: readonly TestCard[] = [
  [
    'ladder',
    '一架长 10 m 的梯子斜靠在墙上，底端离墙角 6 m，顶端下滑 1 m，底端滑动多少米？',
    '勾股定理的应用',
    '勾股定理',
  ],
  ['third-side', '直角三角形的两条边长分别为 3 和 4，则第三边的长是多少？', '勾股定理', '第三边为 5 或 √7'],
  ['angle', '在三角形 ABC 中，a=√3，b=√2，B=45°，求角 A。', '正弦定理', '两解都成立'],
  ['rope', '用长 60 m 的绳子围成长方形，面积最大是多少？', '二次函数的应用', '225 平方米'],
  ['slope', '物块从粗糙斜面顶端由静止滑到底端，求克服摩擦做的功。', null, '由动能定理，重力做的功减去动能'],
  ['kick', '运动员踢出足球后，足球在空中飞行时受到哪些力？', null, '离开脚后只受重力，球因惯性继续前进'],
];

async function found(operation: SearchOperation, text: string, cards: readonly TestCard[] = CARDS) {
  const engine = await memoryEngine(
    cards.map(([id, questionText, tag, goldSolutionBrief]) => {
      const card = { id, questionText, goldSolutionBrief, topicTags: tag === null ? [] : [tag], subject: 'math' };
      return parseNewCard({ ...card, difficulty: 2 }, 'card');
    }),
  );
  const request = requestBy(BUILTIN_SETTINGS, { operation, subject: { kind: 'text', text }, filter: {} }, 3);
  const { hits } = await engine.search(DEFAULT_VIEWER, request, new AbortController().signal);
  return hits.map(({ card }) => card.id);
}

test('a card without topics is found by its words, before cards with a topic that has one word of the text', async () => {
  expect((await found('hybridSearch', '动能定理'))[0]).toBe('slope');
});

test('a knowledge point is found in the texts of cards without topics, also if no card has any, but no other subject', async () => {
  expect((await found('byConcept', '动能定理'))[0]).toBe('slope');
  expect((await found('byConcept', 'inertia'))[0]).toBe('kick');
  const untagged = CARDS.map(([id, question, , solution]): TestCard => [id, question, null, solution]);
  expect((await found('byConcept', '动能定理', untagged))[0]).toBe('slope');
  expect((await found('byConcept', '长方形', untagged))[0]).toBe('rope');
  for (const text of ['鸦片战争', '光合作用', 'relative clause'])
    expect(await found('byConcept', text, untagged)).toEqual([]);
});
