import { expect, test } from 'vitest';
import { memoryEngine } from '../../../bench/memory-engine.js';
import { parseNewCard } from '../../../src/domain/parse/card.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { BUILTIN_SETTINGS, requestBy } from '../../../src/search/profile.js';

/** Questions of grammar, whose only difference are function words. Twenty others make those words rare. */
const GRAMMAR = [
  ['relative', 'This is the book ____ I bought. A. who B. which C. whom D. whose', '定语从句的关系代词'],
  ['while', 'I was reading ____ my mother was cooking. A. while B. until C. unless D. because', '时间状语从句'],
  ['there', 'There ____ a book and two pens on the desk. A. is B. are C. be D. has', 'there be 句型'],
  ['articles', 'He is ____ honest boy. A. a B. an C. the D. /', '不定冠词'],
] as const;
const OTHERS = Array.from(
  { length: 80 },
  (_, at) => [`other-${at}`, `计算 ${at + 3} 与 ${2 * at + 5} 的和`, '加法'] as const,
);

test('a question about English function words finds the card that asks for them', async () => {
  const cards = [...GRAMMAR, ...OTHERS].map(([id, questionText, tag]) =>
    parseNewCard({ id, questionText, topicTags: [tag], subject: 'english', difficulty: 2 }, 'card'),
  );
  const engine = await memoryEngine(cards);
  const firstFor = async (text: string) => {
    const request = requestBy(
      BUILTIN_SETTINGS,
      { operation: 'hybridSearch', subject: { kind: 'text', text }, filter: {} },
      3,
    );
    return (await engine.search(DEFAULT_VIEWER, request, new AbortController().signal)).hits[0]?.card.id;
  };
  expect(await firstFor('who, whom 和 which')).toBe('relative');
  expect(await firstFor('there be')).toBe('there');
  expect(await firstFor('a, an or the')).toBe('articles');
});
