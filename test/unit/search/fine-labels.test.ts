import { expect, test } from 'vitest';
import { memoryEngine } from '../../../bench/memory-engine.js';
import { parseNewCard } from '../../../src/domain/parse/card.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { BUILTIN_SETTINGS, requestBy } from '../../../src/search/profile.js';

/** Each with a topic of its own, as the fine topics of a student's few cards. */
const CARDS = [
  ['graph', '二次函数 y=(x-1)²+2 的图像怎样由 y=x² 平移得到？', '二次函数/图像与性质'],
  ['profit', '某商品每件降价 x 元，每天多卖 2x 件，售价多少时利润最大？', '二次函数/实际应用'],
  ['vertex', '求抛物线 y=2x²-8x+3 的顶点坐标。', '顶点坐标'],
  ['vertex-again', '求抛物线 y=-x²+6x-5 的顶点坐标和对称轴。', '抛物线的对称轴'],
  ['cell', '植物细胞有而动物细胞没有的结构有哪些？', '细胞的结构'],
] as const;

test('a search by a card whose labels no other card has finds those with similar labels, or with a similar question', async () => {
  const cards = CARDS.map(([id, questionText, tag]) =>
    parseNewCard({ id, questionText, topicTags: [tag], subject: 'math', difficulty: 2 }, 'card'),
  );
  const engine = await memoryEngine(cards);
  const firstOf = async (operation: 'similarQuestions' | 'hybridSearch', cardId: string) => {
    const request = requestBy(BUILTIN_SETTINGS, { operation, subject: { kind: 'card', cardId }, filter: {} }, 3);
    return (await engine.search(DEFAULT_VIEWER, request, new AbortController().signal)).hits[0]?.card.id;
  };
  for (const operation of ['similarQuestions', 'hybridSearch'] as const) {
    expect(await firstOf(operation, 'graph')).toBe('profit');
    expect(await firstOf(operation, 'profit')).toBe('graph');
    expect(await firstOf(operation, 'vertex')).toBe('vertex-again');
    expect(await firstOf(operation, 'vertex-again')).toBe('vertex');
  }
});
