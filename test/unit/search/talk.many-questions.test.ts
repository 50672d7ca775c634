import { expect, test } from 'vitest';
import { sampleNotebook } from '../../../bench/card-files.js';
import { memoryEngine } from '../../../bench/memory-engine.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { BUILTIN_SETTINGS, requestBy } from '../../../src/search/profile.js';

/** What students write around a question. */
const TALK: Readonly<Record<'zh' | 'en', readonly ((question: string) => string)[]>> = {
  zh: [
    (question) => `帮我算一下 ${question}`,
    (question) => `${question} 这题咋做啊，求大神解答，在线等挺急的`,
    (question) => `我同桌说这道题很简单，可是我觉得好难。妈妈也不会。题目是：${question}。谢谢老师！`,
    (question) => `老师今天讲的这题我没听懂，${question}，能再讲一遍吗`,
  ],
  en: [
    (question) => `Here it is: ${question}`,
    (question) => `My friend said it is really easy but I got stuck again. Here it is: ${question} Thank you so much!`,
    (question) => `can someone help me with ${question} my exam is tomorrow`,
    (question) => `I keep getting this wrong: ${question}`,
  ],
};

test('a short question within talk finds its card: each one on the first page, 97 of 100 among the first three hits', async () => {
  const cards = await sampleNotebook();
  const engine = await memoryEngine(cards);
  const short = cards.toSorted((a, b) => a.questionText.length - b.questionText.length).slice(0, 90);
  const places: number[] = [];
  for (const { id, questionText } of short) {
    const question = questionText.replace(/^(?:计算|Calculate|Compute|Solve|解方程)[:：]?\s*/, '').replaceAll('$', '');
    for (const within of TALK[`${id}`.includes('-zh-') ? 'zh' : 'en']) {
      const asked = {
        operation: 'similarQuestions',
        subject: { kind: 'text', text: within(question) },
        filter: {},
      } as const;
      const { hits } = await engine.search(
        DEFAULT_VIEWER,
        requestBy(BUILTIN_SETTINGS, asked, 10),
        new AbortController().signal,
      );
      places.push(hits.findIndex(({ card }) => card.id === id) + 1);
    }
  }
  expect(places).not.toContain(0);
  expect(places.filter((place) => place <= 3).length / places.length).toBeGreaterThanOrEqual(0.969);
});
