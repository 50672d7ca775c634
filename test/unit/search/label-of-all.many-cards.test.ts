import { expect, test } from 'vitest';
import { sampleNotebook } from '../../../bench/card-files.js';
import { memoryEngine } from '../../../bench/memory-engine.js';
import type { SearchSubject } from '../../../src/domain/search.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import type { Engine } from '../../../src/search/engine.js';
import { BUILTIN_SETTINGS, requestBy } from '../../../src/search/profile.js';

const COMMON = '期末复习';

test('a label that all cards carry changes no first hit of a text, and a search by a card still finds one of its other topics first', async () => {
  const cards = (await sampleNotebook()).filter(({ topicTags }) => topicTags.length > 0);
  const plain = await memoryEngine(cards);
  const tagged = await memoryEngine(cards.map((card) => ({ ...card, topicTags: [...card.topicTags, COMMON] })));
  const search = async (engine: Engine, subject: SearchSubject) => {
    const asked = { operation: 'hybridSearch', subject, filter: {} } as const;
    const request = requestBy(BUILTIN_SETTINGS, asked, 3);
    return (await engine.search(DEFAULT_VIEWER, request, new AbortController().signal)).hits;
  };
  const asked = cards.filter((_, place) => place % 6 === 0);
  for (const { id, questionText, topicTags } of asked) {
    const text: SearchSubject = { kind: 'text', text: questionText };
    const firsts = await Promise.all([plain, tagged].map(async (engine) => (await search(engine, text))[0]?.card.id));
    expect(firsts[1], questionText).toBe(firsts[0]);
    const topics = new Set(topicTags);
    const isShared = cards.some((card) => card.id !== id && card.topicTags.some((tag) => topics.has(tag)));
    if (!isShared) continue;
    const [first] = await search(tagged, { kind: 'card', cardId: `${id}` });
    expect(
      first?.card.topicTags.filter((tag) => topics.has(tag)),
      `${id}`,
    ).not.toEqual([]);
  }
});
