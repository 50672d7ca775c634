import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { contextsOf } from '../../../bench/evidence.js';
import { packageRoot } from '../../../src/config/package-root.js';
import { BadInputError } from '../../../src/domain/errors.js';
import { wholesOf } from '../../../src/domain/split.js';
import { atOnce } from '../../../src/domain/steps.js';
import { isHint, TUTORING_MODES, type TutoringContext } from '../../../src/domain/tutoring.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { contextSteps } from '../../../src/tutoring/assemble.js';
import { slice } from '../../../src/tutoring/quote.js';
import { type CountTokens, loadTokenCounter } from '../../../src/tutoring/tokens.js';
import { cardOf } from '../../support/generators.js';
import { runs } from '../../support/runs.js';
import { foundArb, hitOf, resultOf, sampleContexts, tutoringOf } from './notebook.js';

const assembleContext = (...given: Parameters<typeof contextSteps>) => atOnce(contextSteps(...given));

let ask: (args: object) => Promise<TutoringContext>;
let count: CountTokens;

beforeAll(async () => {
  [ask, count] = await Promise.all([sampleContexts(), loadTokenCounter()]);
});

const QUESTION = '一根钢管长 80 米，第一次截去全长的 1/4，第二次截去余下的 1/3，还剩多少米？';

describe('a context of the sample notebook', () => {
  test('quotes spans of cards, in a prompt with role, rules, task, sources and question', async () => {
    const { prompt, rules, material, sources, tokens, verdict } = await ask({ text: QUESTION });
    expect(verdict).toBe('ENOUGH');
    expect(sources.length).toBeGreaterThan(1);
    for (const { label, card, spans, text, relevance } of sources) {
      expect(prompt).toContain(`[${label}]`);
      expect(relevance).toBeGreaterThan(0);
      for (const span of spans) {
        for (const line of slice(card, span).split('\n')) expect(text).toContain(line);
      }
    }
    expect(prompt.match(/^# .*/gm)).toEqual(['# 角色', '# 规则', '# 任务', '# 资料', '# 可能的错因', '# 题目']);
    expect(`${rules}\n\n${material}`).toBe(prompt);
    expect(tokens).toBe(count(prompt));
    expect(rules).not.toContain(sources[0]?.text);
  });

  test('is judged by weighted scores of the question, whatever the options of the search', async () => {
    const options = { fusion: 'RRF', expandWith: 'MULTI_QUERY', rerank: true };
    const revealsAnswer = expect.any(Function);
    for (const text of [QUESTION, '把加速度方向搞反了']) {
      const { sources, ...context } = await ask({ text });
      const comparable = sources.map((source) => ({ ...source, revealsAnswer }));
      expect(await ask({ text, options })).toEqual({ ...context, sources: comparable });
    }
  });

  test('is in the language of the question, or in the requested one', async () => {
    expect((await ask({ text: 'how much is 3/4 of 80 meters' })).prompt).toContain('# Rules');
    expect((await ask({ text: QUESTION, language: 'en' })).prompt).toContain('# Rules');
    expect((await ask({ text: QUESTION })).prompt).toContain('# 规则');
  });

  test('about a card has the card as its first source, without the question, which follows below', async () => {
    const { sources, hypotheses, card } = await ask({ cardId: 'sample-zh-002', mode: 'DIAGNOSE' });
    expect(card?.id).toBe('sample-zh-002');
    expect(sources[0]).toMatchObject({ label: 'S1', relevance: 1, verdict: 'DUPLICATE' });
    expect(sources[0]?.spans.map(({ type }) => type)).toEqual([
      'WRONG_SOLUTION',
      'ERROR_TYPE',
      'REFERENCE_SOLUTION',
      'TOPIC_TAG',
    ]);
    expect(hypotheses[0]).toMatchObject({ errorType: '概念混淆', posterior: 1 });
    expect(hypotheses[0]?.votes).toBeGreaterThan(0);
    expect(hypotheses[0]?.cards.every(({ errorTypes }) => errorTypes.includes('概念混淆'))).toBe(true);
  });

  test('is shown whole in docs/tutoring.md', async () => {
    const read = (page: string): string => readFileSync(join(packageRoot(), 'docs', page), 'utf8');
    const page = read('tutoring.md');
    const { prompt, tokens, sources } = await ask({ cardId: 'sample-zh-002', mode: 'DIAGNOSE' });
    const [, second] = sources;
    for (const text of [page, read('zh-CN/tutoring.md')]) {
      expect(text).toContain(`"tokens":${tokens},"cardId"`);
      expect(text).toContain(`{"label":"S2","id":"${second?.id}","relevance":${second?.relevance.toFixed(3)},`);
    }
    expect(/<!-- context -->\n`{4,}markdown\n([\s\S]*?)\n`{4,}\n<!-- \/context -->/.exec(page)?.[1]).toBe(prompt);
  });

  test('names no error that hardly any student made', async () => {
    const { hypotheses, prompt } = await ask({ text: QUESTION });
    expect(hypotheses.some(({ posterior }) => posterior < 0.05)).toBe(true);
    const named = [...prompt.matchAll(/^.+：(\d\.\d\d)、\d+ 张卡片$/gm)].map(([, posterior]) => Number(posterior));
    expect(named.length).toBeGreaterThan(0);
    expect(named.every((posterior) => posterior >= 0.05)).toBe(true);
  });

  test('has no sources if the search finds nothing, and says so', async () => {
    const { verdict, sources, hypotheses, prompt, reason } = await ask({ text: '唐朝的首都在哪里' });
    expect({ verdict, sources, hypotheses }).toEqual({ verdict: 'NONE', sources: [], hypotheses: [] });
    expect(reason).toBe('没有与问题有关的卡片。');
    expect(prompt).toContain('没有资料。');
  });

  test('gives few-shot examples of question, wrong solution, reference and error', async () => {
    const { formattedExamples } = await ask({ text: QUESTION });
    expect(formattedExamples.length).toBeGreaterThan(0);
    for (const example of formattedExamples) {
      expect(example).toMatch(/^题目：[\s\S]*\n错解：[\s\S]*\n参考解法：[\s\S]*\n错因：/);
      expect(count(example)).toBeLessThanOrEqual(350);
    }
  });

  test('is the same to the byte every time', async () => {
    const [one, two] = [await ask({ text: QUESTION }), await ask({ text: QUESTION })];
    expect(JSON.stringify(two)).toBe(JSON.stringify(one));
    const found = { card: null, related: resultOf(hits()), sameError: resultOf(hits().reverse()) };
    const bytes = new Set<string>();
    for (let time = 0; time < runs(1_000); time += 1) {
      bytes.add(JSON.stringify(assembleContext(tutoringOf({ budgetTokens: 600 }), found, count)));
    }
    expect(bytes.size).toBe(1);
  });
});

test('a card with nothing to search for is its own source, and such a text is refused', async () => {
  const card = cardOf({ id: 'marks', questionText: '？？', goldSolutionBrief: '！', errorTypes: [] });
  const search = async () => {
    throw new BadInputError('text', 'has no word, number or formula to search for');
  };
  const contexts = contextsOf({ search } as never, {
    byIds: async () => new Map([['marks', card]]),
    mergedInto: async () => new Map(),
  });
  const { signal } = new AbortController();
  const context = await contexts.context(DEFAULT_VIEWER, { cardId: 'marks' }, signal);
  expect(context).toMatchObject({ verdict: 'ENOUGH', sources: [{ card: { id: 'marks' } }], hypotheses: [] });
  await expect(contexts.context(DEFAULT_VIEWER, { text: '？？' }, signal)).rejects.toThrow('text: has no word');
});

/** Two cards in a row that have the same score: their ids decide. */
function hits() {
  return [
    hitOf(cardOf({ id: 'b', questionText: '1/2 + 1/3 = ?', errorTypes: ['adds denominators'] }), { score: 0.6 }),
    hitOf(cardOf({ id: 'a', questionText: '3/4 + 1/8 = ?', goldSolutionBrief: '7/8' }), { score: 0.6 }),
  ];
}

describe('the sources', () => {
  const plain = cardOf({ id: 'plain', questionText: 'What is 1/2 + 1/3?', studentSolutionText: 'I think 2/5.' });
  const solved = cardOf({
    ...plain,
    id: 'solved',
    questionText: 'Is 1/5 + 1/3 more?',
    goldSolutionBrief: 'It is 8/15.',
  });
  const erred = cardOf({ ...plain, id: 'erred', questionText: 'And 1/9 + 1/3?', errorTypes: ['adds denominators'] });
  const found = [hitOf(plain, { score: 0.9 }), hitOf(erred, { score: 0.8 }), hitOf(solved, { score: 0.7 })];
  const context = (given: Parameters<typeof tutoringOf>[0], sameError = [hitOf(erred, { score: 0.5 })]) =>
    assembleContext(tutoringOf(given), { card: null, related: resultOf(found), sameError: resultOf(sameError) }, count);
  const ids = (one: TutoringContext): readonly string[] => one.sources.map(({ card }) => card.id);

  test('begin with reference solutions for EXPLAIN, with the same error for DIAGNOSE, otherwise with the nearest', () => {
    expect(ids(context({ mode: 'EXPLAIN' }))).toEqual(['solved', 'plain', 'erred']);
    expect(ids(context({ mode: 'DIAGNOSE' }))).toEqual(['erred', 'plain', 'solved']);
    expect(ids(context({ mode: 'HINT_1' }))).toEqual(['plain', 'erred', 'solved']);
  });

  test('quote a sentence once, however it is punctuated, and omit a card without other sentences', () => {
    const twin = hitOf(cardOf({ ...plain, id: 'twin', questionText: 'what is 1/2 + 1/3 ?' }), { score: 0.95 });
    const related = resultOf([twin, ...found]);
    const { sources } = assembleContext(tutoringOf(), { card: null, related, sameError: resultOf([]) }, count);
    expect(sources.map(({ card }) => card.id)).toEqual(['solved', 'twin', 'erred']);
    expect(sources.flatMap(({ text }) => text.match(/I think 2\/5\./g) ?? [])).toHaveLength(1);
  });

  test('keep their ids as long as the same spans of the same revision are quoted', () => {
    const idOf = (one: TutoringContext, id: string) => one.sources.find(({ card }) => card.id === id)?.id;
    const [one, other] = [context({}), context({ text: 'something else' })];
    expect(idOf(other, 'plain')).toBe(idOf(one, 'plain'));
    const related = resultOf([hitOf({ ...plain, revision: 2 })]);
    const later = assembleContext(tutoringOf(), { card: null, related, sameError: resultOf([]) }, count);
    expect(idOf(later, 'plain')).not.toBe(idOf(one, 'plain'));
  });
});

test('lets other work run after each sentence: counting the tokens of long texts takes a second', () => {
  const long = Array.from({ length: 400 }, (_, place) => `Sentence ${place}.`).join(' ');
  const cards = Array.from({ length: 5 }, (_, place) => ({
    ...cardOf({ id: `c${place}`, questionText: long, studentSolutionText: long, goldSolutionBrief: long }),
    errorTypes: ['sign error'],
  }));
  const related = resultOf(cards.map((card) => hitOf(card)));
  const found = { card: null, related, sameError: resultOf([]) };
  let counted = 0;
  let most = 0;
  const counting = (text: string): number => {
    counted += 1;
    return count(text);
  };
  for (const steps = contextSteps(tutoringOf({ text: long }), found, counting); !steps.next().done; counted = 0) {
    most = Math.max(most, counted);
  }
  expect(most).toBeLessThanOrEqual(4);
});

test('for any cards, a prompt keeps its budget, no source exceeds 350 tokens, and no formula or table is split', () => {
  fc.assert(
    fc.property(foundArb, ({ request, found }) => {
      const { prompt, tokens, sources, formattedExamples } = assembleContext(request, found, count);
      expect(tokens).toBe(count(prompt));
      expect(tokens).toBeLessThanOrEqual(request.budgetTokens);
      expect(sources.length).toBeLessThanOrEqual(10);
      for (const text of [...sources.map((source) => source.text), ...formattedExamples]) {
        expect(count(text)).toBeLessThanOrEqual(350);
      }
      for (const { card, spans } of sources) {
        for (const span of spans) {
          const text = card[span.field];
          if (typeof text !== 'string') continue;
          expect(text.slice(span.start, span.end).trim()).not.toBe('');
          const cut = ({ start, end }: { start: number; end: number }): boolean =>
            (span.start > start && span.start < end && text.slice(start, span.start).trim() !== '') ||
            (span.end > start && span.end < end && text.slice(span.end, end).trim() !== '');
          expect(wholesOf(text).filter(cut)).toEqual([]);
        }
      }
    }),
    { numRuns: 25 },
  );
});

test('a source reveals the answer if its solution has that of the card, or of the same question in the notebook', async () => {
  const card = cardOf({ id: 'asked', questionText: '解方程：7(x-2)=3x+10', goldSolutionBrief: '4x=24，x=6。' });
  const again = cardOf({
    id: 'again',
    questionText: '已知 7(x-2)=3x+10，求 x 的值。',
    goldSolutionBrief: '4x=24，所以 x=6。',
  });
  const other = cardOf({ id: 'other', questionText: '解方程：7(x-2)=3x+18', goldSolutionBrief: '4x=32，x=8。' });
  const related = resultOf([again, other].map((one) => hitOf(one, { verdict: 'SAME_QUESTION_NEW_SKIN' })));
  const revealing = async (found: Parameters<typeof contextSteps>[1]) => {
    const { sources } = assembleContext(tutoringOf({ text: card.questionText }), found, count);
    const isRevealing = await Promise.all(sources.map((source) => source.revealsAnswer()));
    return sources.flatMap((source, place) => (isRevealing[place] ? [source.card.id] : [])).sort();
  };
  expect(await revealing({ card, related, sameError: resultOf([]) })).toEqual(['again', 'asked']);
  expect(await revealing({ card: null, related, sameError: resultOf([]) })).toEqual(['again']);
  const same = resultOf([hitOf(card, { verdict: 'DUPLICATE' }), hitOf(other)]);
  expect(await revealing({ card: null, related: same, sameError: resultOf([]) })).toEqual(['asked']);
  const only = resultOf([hitOf(other, { verdict: 'SAME_QUESTION_NEW_SKIN' })]);
  expect(await revealing({ card: null, related: only, sameError: resultOf([]) })).toEqual([]);
});

test('a question of one long sentence is in the prompt whole before any source, or at least its beginning', () => {
  const long = (parts: number) => `某商店${'购进甲种书包，每个进价五十元，'.repeat(parts)}一共获利多少元？`;
  const promptFor = (text: string, budgetTokens: number): string => {
    const request = tutoringOf({ language: 'zh', budgetTokens, text });
    return assembleContext(request, { card: null, related: resultOf(hits()), sameError: resultOf([]) }, count).prompt;
  };
  expect(promptFor(long(8), 500)).toContain(long(8));
  for (const budget of [500, 1_500]) expect(promptFor(long(200), budget)).toContain(`${long(8).slice(0, 100)}`);
});

test('a prompt with more tokens than its parts have alone goes without its last source', () => {
  const found = { card: null, related: resultOf(hits()), sameError: resultOf([]) };
  const request = tutoringOf();
  const { sources, rules } = assembleContext(request, found, count);
  const last = sources.at(-1)?.label;
  const ofWhole: CountTokens = (text) =>
    count(text) + (text.startsWith(rules) && text.includes(`[${last}]`) ? request.budgetTokens : 0);
  expect(assembleContext(request, found, ofWhole).sources.map(({ label }) => label)).toEqual(
    sources.slice(0, -1).map(({ label }) => label),
  );
});

test('the smallest budget has room for rules and question in every mode and language', () => {
  for (const mode of TUTORING_MODES) {
    for (const language of ['en', 'zh'] as const) {
      const request = tutoringOf({ mode, language, budgetTokens: 500, text: '1/2 + 1/3 = ?' });
      const related = resultOf(hits());
      const { prompt, sources, rules } = assembleContext(request, { card: null, related, sameError: related }, count);
      expect(prompt).toContain('1/2 + 1/3 = ?');
      expect(sources.length).toBeGreaterThan(0);
      if (isHint(mode)) expect(rules).toMatch(/answer|答案/);
    }
  }
});
