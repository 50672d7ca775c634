import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { sampleNotebook } from '../../../bench/card-files.js';
import { memoryEngine } from '../../../bench/memory-engine.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { thresholdsOf } from '../../../src/search/cut.js';
import type { Engine } from '../../../src/search/engine.js';
import { passesNoAnswerGate } from '../../../src/search/no-answer-gate.js';
import { BUILTIN_SETTINGS, requestBy } from '../../../src/search/profile.js';
import { cardOf } from '../../support/generators.js';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const signalsArb = fc.record({
  byTexts: share,
  byLabel: share,
  byTerms: share,
  terms: fc.integer({ min: 1, max: 20_000 }),
  cards: fc.integer({ min: 0, max: 1_000_000 }),
});

describe('the no-answer gate', () => {
  const thresholds = thresholdsOf('builtin');

  test('requires more from a short text than from a long one, which matches less by chance', () => {
    const signals = { byTexts: 0.2, byLabel: 0, byTerms: 0, cards: 200 };
    expect(passesNoAnswerGate({ ...signals, terms: 4 }, thresholds)).toBe(false);
    expect(passesNoAnswerGate({ ...signals, terms: 40 }, thresholds)).toBe(true);
  });

  test('requires less in a small collection, with fewer chance matches', () => {
    const signals = { byTexts: 0.3, byLabel: 0, byTerms: 0, terms: 6 };
    expect(passesNoAnswerGate({ ...signals, cards: 2_000 }, thresholds)).toBe(false);
    expect(passesNoAnswerGate({ ...signals, cards: 4 }, thresholds)).toBe(true);
  });

  test('passes by a label alone, such as a named topic', () => {
    expect(passesNoAnswerGate({ byTexts: 0, byLabel: 0.5, byTerms: 0, terms: 3, cards: 2_000 }, thresholds)).toBe(true);
    expect(passesNoAnswerGate({ byTexts: 0, byLabel: 0.1, byTerms: 0, terms: 3, cards: 2_000 }, thresholds)).toBe(
      false,
    );
  });

  test('requires more of one or two words, of which a card may have one by chance', () => {
    const signals = { byTexts: 0.26, byLabel: 0.2, byTerms: 0.37, cards: 221 };
    expect(passesNoAnswerGate({ ...signals, terms: 2 }, thresholds)).toBe(false);
    expect(passesNoAnswerGate({ ...signals, terms: 3 }, thresholds)).toBe(true);
    expect(passesNoAnswerGate({ ...signals, byTerms: 0.6, terms: 2 }, thresholds)).toBe(true);
  });

  test('requires more of a description of an error', () => {
    const signals = { byTexts: 0.22, byLabel: 0.12, byTerms: 0.1, terms: 5, cards: 221 };
    expect(passesNoAnswerGate(signals, thresholds)).toBe(true);
    expect(passesNoAnswerGate({ ...signals, describesError: true }, thresholds)).toBe(false);
  });

  test('requires more of several words of which no card has two', () => {
    const signals = { byTexts: 0.24, byLabel: 0.13, byTerms: 0.3, terms: 4, cards: 221 };
    expect(passesNoAnswerGate(signals, thresholds)).toBe(true);
    expect(passesNoAnswerGate({ ...signals, sharesOneWord: true }, thresholds)).toBe(false);
    expect(passesNoAnswerGate({ ...signals, byLabel: 0.3, sharesOneWord: true }, thresholds)).toBe(true);
  });

  test('passes by a few words of one text, however long that is', () => {
    expect(passesNoAnswerGate({ byTexts: 0.2, byLabel: 0, byTerms: 0.6, terms: 3, cards: 2_000 }, thresholds)).toBe(
      true,
    );
    expect(passesNoAnswerGate({ byTexts: 0.2, byLabel: 0, byTerms: 0.2, terms: 3, cards: 2_000 }, thresholds)).toBe(
      false,
    );
  });

  test('passes by three words of a long text in a large notebook without labels', () => {
    const signals = { byTexts: 0.4, byLabel: 0, byTerms: 0.54, terms: 3, cards: 2_000 };
    expect(passesNoAnswerGate(signals, thresholds)).toBe(true);
  });

  test('adds signals: several weak ones suffice', () => {
    const little = { byTexts: 0.15, byLabel: 0.15, byTerms: 0.4, terms: 6, cards: 2_000 };
    expect(passesNoAnswerGate(little, thresholds)).toBe(true);
    for (const sign of ['byTexts', 'byLabel', 'byTerms'] as const) {
      expect(passesNoAnswerGate({ ...little, [sign]: 0 }, thresholds)).toBe(false);
    }
  });

  test('is monotonic in each signal and in the length of the text', () => {
    fc.assert(
      fc.property(signalsArb, signalsArb, (a, b) => {
        const more = {
          byTexts: Math.max(a.byTexts, b.byTexts),
          byLabel: Math.max(a.byLabel, b.byLabel),
          byTerms: Math.max(a.byTerms, b.byTerms),
          terms: Math.max(a.terms, b.terms),
          cards: Math.min(a.cards, b.cards),
        };
        expect(passesNoAnswerGate(more, thresholds)).toBe(
          passesNoAnswerGate(more, thresholds) || passesNoAnswerGate(a, thresholds),
        );
      }),
    );
  });

  test('requires a smaller share of a long text of a label, too', () => {
    const signals = { byTexts: 0.08, byLabel: 0.08, byTerms: 0, cards: 60 };
    expect(passesNoAnswerGate({ ...signals, terms: 4 }, thresholds)).toBe(false);
    expect(passesNoAnswerGate({ ...signals, terms: 40 }, thresholds)).toBe(true);
  });

  test('passes for a text without words whose only sign matches, and not without any match', () => {
    expect(passesNoAnswerGate({ byTexts: 1, byLabel: 0, byTerms: 0, terms: 0, cards: 2_000 }, thresholds)).toBe(true);
    expect(passesNoAnswerGate({ byTexts: 0, byLabel: 0, byTerms: 0, terms: 0, cards: 2_000 }, thresholds)).toBe(false);
  });
});

describe('a formula within talk', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await memoryEngine(await sampleNotebook());
  });

  async function firstOf(text: string): Promise<readonly string[]> {
    const asked = { operation: 'similarQuestions', subject: { kind: 'text', text }, filter: {} } as const;
    const request = requestBy(BUILTIN_SETTINGS, asked, 3);
    const { hits } = await engine.search(DEFAULT_VIEWER, request, new AbortController().signal);
    return hits.map(({ card }) => card.id);
  }

  test.each([
    ['帮我算一下 403-158', 'sample-zh-005'],
    ['52-27 这题咋做啊，求大神解答，在线等挺急的', 'sample-zh-003'],
    ['My friend said it is really easy but I got stuck again. Here it is: 24 × 35 Thank you so much!', 'sample-en-006'],
    ['帮我算一下 731-264', 'sample-zh-005'],
  ])('finds a card with this formula, or with other numbers: %s', async (text, cardId) => {
    expect(await firstOf(text)).toContain(cardId);
  });

  test.each(['帮我算一下，谢谢老师', '帮我看看 p⊕q 是什么', '帮我查一下 1990 年 3 月 5 日'])(
    'finds nothing without one that a card has: %s',
    async (text) => {
      expect(await firstOf(text)).toEqual([]);
    },
  );
});

describe('a text of several words, of which the cards have one', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await memoryEngine(await sampleNotebook());
  });

  async function hitsOf(text: string): Promise<readonly string[]> {
    const asked = { operation: 'hybridSearch', subject: { kind: 'text', text }, filter: {} } as const;
    const { hits } = await engine.search(
      DEFAULT_VIEWER,
      requestBy(BUILTIN_SETTINGS, asked, 3),
      new AbortController().signal,
    );
    return hits.map(({ card }) => card.id);
  }

  test.each([
    ...['chain of islands in the Pacific', 'supply chain management', 'domain name registration'],
    ...['resolving conflicts between friends', 'the best pizza in Naples', '呼吸道疾病'],
  ])('finds nothing by a word that happens to be that of a label or a question: %s', async (text) => {
    expect(await hitsOf(text)).toEqual([]);
  });

  test.each([
    ['two words of one card', 'foxes eating rabbits', 'sample-en-099'],
    ['a synonym of another word', '蜘蛛为什么不算昆虫', 'sample-en-096'],
    ['enough of it', 'hand sanitizer pH', 'sample-en-091'],
    ['two words, of which one is much', 'Is a dolphin a fish?', 'sample-en-092'],
    ['the words before 来着', '落霞与什么齐飞来着', 'sample-zh-049'],
  ])('finds a card with %s: %s', async (_, text, cardId) => {
    expect(await hitsOf(text)).toContain(cardId);
  });

  test('finds no addition by `In addition`', async () => {
    expect(await hitsOf('In addition, the treaty ended the war.')).toEqual([]);
  });
});

describe('a question in a notebook of thirty cards', () => {
  test.each(['sample-zh-011', 'sample-en-010', 'sample-en-001'])(
    'finds another one about its topic, although it shares few words with it: %s',
    async (id) => {
      const sample = await sampleNotebook();
      const first = 30 * Math.floor(sample.findIndex((card) => card.id === id) / 30);
      const question = sample.find((card) => card.id === id) as (typeof sample)[number];
      const engine = await memoryEngine(sample.slice(first, first + 30).filter((card) => card !== question));
      const asked = { operation: 'hybridSearch', subject: { kind: 'text', text: question.questionText }, filter: {} };
      const request = requestBy(BUILTIN_SETTINGS, asked as Parameters<typeof requestBy>[1], 3);
      const { hits } = await engine.search(DEFAULT_VIEWER, request, new AbortController().signal);
      expect(hits[0]?.card.topicTags).toEqual(expect.arrayContaining([expect.toBeOneOf([...question.topicTags])]));
    },
  );
});

describe('a text with the name of a label', () => {
  const question = '水桶高一米，装满雨水以后小华提着它匆匆走进教室，桶底受到的压强等于多少呢';

  async function hitsOf(label: string, text: string): Promise<number> {
    const others = Array.from({ length: 40 }, (_, i) =>
      cardOf({ id: `c${i}`, questionText: `第 ${i} 个问题`, topicTags: [`话题${i}`] }),
    );
    const named = cardOf({ id: 'named', questionText: '木块重几牛', topicTags: [label] });
    const engine = await memoryEngine([...others, named]);
    // Which does not compare the text with the labels as words: one word of few is much where no card has another.
    const asked = { operation: 'similarQuestions', subject: { kind: 'text', text }, filter: {} } as const;
    const request = requestBy(BUILTIN_SETTINGS, asked, 3);
    return (await engine.search(DEFAULT_VIEWER, request, new AbortController().signal)).hits.length;
  }

  test('has an answer, however little else is like the cards', async () => {
    expect(await hitsOf('压强', question)).toBeGreaterThan(0);
  });

  test.each([
    ['浮力', question],
    ['压强', '台风过境时的气压强度排名，沿海渔民关心哪天可以出海'],
    ['time', 'Which restaurant serves the best noodles around midnight this time of summer?'],
    ['12', '2012 年 12 月的演唱会门票现在还能买到吗，附近酒店贵不贵'],
  ])(
    'has none by a name that it does not have, by part of a word, an English word or a number: %s',
    async (label, text) => {
      expect(await hitsOf(label, text)).toBe(0);
    },
  );
});
