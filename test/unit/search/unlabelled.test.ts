import { expect, test } from 'vitest';
import { memoryEngine } from '../../../bench/memory-engine.js';
import { parseNewCard } from '../../../src/domain/parse/card.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { BUILTIN_SETTINGS, requestBy } from '../../../src/search/profile.js';

/** As teachers leave them: some cards have topics, and some have none. */
const CARDS = [
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
] as const;

test('a card without topics is found by its words, before cards with a topic that has one word of the text', async () => {
  const cards = CARDS.map(([id, questionText, tag, goldSolutionBrief]) => {
    const card = { id, questionText, goldSolutionBrief, topicTags: tag === null ? [] : [tag], subject: 'math' };
    return parseNewCard({ ...card, difficulty: 2 }, 'card');
  });
  const engine = await memoryEngine(cards);
  const subject = { kind: 'text', text: '动能定理' } as const;
  const request = requestBy(BUILTIN_SETTINGS, { operation: 'hybridSearch', subject, filter: {} }, 3);
  const { hits } = await engine.search(DEFAULT_VIEWER, request, new AbortController().signal);
  expect(hits[0]?.card.id).toBe('slope');
});
