import { describe, expect, test } from 'vitest';
import { FUSION_NAMES } from '../../../src/domain/search.js';
import { idsIn, searchIn, type World } from '../../support/engine-world.js';
import { cardOf, requestOf, unit } from '../../support/generators.js';
import { asking, five, worldOf } from './similar-questions.js';

describe('a fusion', () => {
  test('gives the best card of every lane a full score by ranks or relative scores, and its own score by weights', async () => {
    const scores = await Promise.all(
      FUSION_NAMES.map(async (fusion) => {
        const { hits, receipt } = await searchIn(worldOf(five), asking({ fusion }));
        expect(receipt.fusion).toBe(fusion);
        expect(hits.map(({ card }) => card.id)).toEqual(['a', 'b', 'c', 'd', 'e']);
        return hits.map(({ score }) => score);
      }),
    );
    const close = (all: readonly number[]): unknown => all.map((score) => expect.closeTo(score, 6));
    expect(scores).toEqual([
      close([0.9, 0.75, 0.65, 0.55, 0.3]),
      close([1, 61 / 62, 61 / 63, 61 / 64, 61 / 65]),
      close([1, 0.75, 0.35 / 0.6, 0.25 / 0.6, 0]),
    ]);
  });
});

describe('diversity', () => {
  // Beside `near`, `twin` says it again; `other` is as far from the query on the other side.
  const vectors = new Map([
    ['q', unit([1, 0, 0])],
    ['near', unit([0.8, 0.6, 0])],
    ['twin', unit([0.79, 0.61, 0])],
    ['other', unit([0.7, -0.7, 0.1])],
  ]);
  const cards = ['near', 'twin', 'other'].map((id) => cardOf({ id, questionText: id }));
  const world: World = { cards, vectorOf: (text) => vectors.get(text) ?? unit([0, 0, 1]) };

  test('of 0 is the plain order', async () => {
    expect(idsIn(await searchIn(world, asking({ topK: 2, diversity: 0 })))).toEqual(['near', 'twin']);
  });

  test('selects a different card from beyond the first topK, and keeps the scores', async () => {
    const plain = await searchIn(world, asking());
    const { hits } = await searchIn(world, asking({ topK: 2, diversity: 0.5 }));
    expect(hits.map(({ card, rank }) => [card.id, rank])).toEqual([
      ['near', 1],
      ['other', 2],
    ]);
    const scoreOf = (id: string): number | undefined => plain.hits.find(({ card }) => card.id === id)?.score;
    expect(hits.map(({ score }) => score)).toEqual([scoreOf('near'), scoreOf('other')]);
  });

  test('never selects a card below the threshold', async () => {
    const request = asking({ topK: 2, diversity: 1, thresholdSteps: [0.75] });
    expect(idsIn(await searchIn(world, request))).toEqual(['near', 'twin']);
  });
});

describe('preferring quality', () => {
  const graded = [
    cardOf({ id: 'fair', questionText: 'x1', qualityGrade: 'FAIR' }),
    cardOf({ id: 'good', questionText: 'x2', qualityGrade: 'GOOD' }),
    cardOf({ id: 'best', questionText: 'x3', qualityGrade: 'EXCELLENT' }),
    cardOf({ id: 'late', questionText: 'x4', qualityGrade: 'GOOD', occurredAt: new Date('2026-06-01T00:00:00Z') }),
  ];
  const { vectorOf } = worldOf({ x1: 0.9, x2: 0.895, x3: 0.89, x4: 0.885 });
  const world: World = { cards: graded, ...(vectorOf === undefined ? {} : { vectorOf }) };

  test('orders near-ties by quality grade, then the newest first', async () => {
    expect(idsIn(await searchIn(world, asking()))).toEqual(['fair', 'good', 'best', 'late']);
    expect(idsIn(await searchIn(world, asking({ preferQuality: true })))).toEqual(['best', 'late', 'good', 'fair']);
  });

  test('drops FAIR cards if enough others remain', async () => {
    expect(idsIn(await searchIn(world, asking({ preferQuality: true, topK: 3 })))).toEqual(['best', 'late', 'good']);
  });
});

describe('perLane', () => {
  test('keeps the best of every requested lane, and drops the others', async () => {
    const cards = [
      cardOf({ id: 'a', questionText: 'x1' }),
      cardOf({ id: 'b', questionText: 'x2' }),
      cardOf({ id: 'c', questionText: 'q x3' }),
    ];
    const { vectorOf } = worldOf({ x1: 0.9, x2: 0.8 });
    const world: World = { cards, ...(vectorOf === undefined ? {} : { vectorOf }) };
    const request = asking({ lexicalShare: 0.3, expand: false });
    expect(idsIn(await searchIn(world, request))).toEqual(['a', 'b', 'c']);
    expect(idsIn(await searchIn(world, { ...request, perLane: 1 }))).toEqual(['a', 'c']);
  });
});

describe('avoid', () => {
  const same = { errorTypes: ['sign error'] };
  const cards = [
    cardOf({ id: 'query', questionText: 'x+1=2', ...same }),
    cardOf({ id: 'twin', questionText: 'x+1=2', ...same }),
    cardOf({ id: 'contrast', questionText: '勾股定理', ...same }),
    cardOf({ id: 'question', questionText: 'x+1=2', errorTypes: ['guessed'] }),
  ];
  const weights = { question: 0, solution: 0, concept: 0, error: 1 };
  const avoid = { question: 0.5, solution: 0, concept: 0, error: 0 };
  const request = requestOf({ subject: { kind: 'card', cardId: 'query' }, weights, lexicalShare: 0.5 });

  test('puts the same error in another question first, and drops cards with only a similar question', async () => {
    expect(idsIn(await searchIn({ cards }, request))).toEqual(['contrast', 'twin', 'question']);
    const { hits } = await searchIn({ cards }, { ...request, avoid });
    expect(hits.map(({ card, score }) => [card.id, score])).toEqual([
      ['contrast', expect.closeTo(1, 1)],
      ['twin', expect.closeTo(0.5, 6)],
    ]);
  });

  test('does not change the scores that thresholds apply to', async () => {
    const steps = { thresholdSteps: [0.9], minResults: 1 };
    const { hits } = await searchIn({ cards }, { ...request, avoid, ...steps });
    expect(hits.map(({ card, threshold }) => [card.id, threshold])).toEqual([
      ['contrast', 0.9],
      ['twin', 0.9],
    ]);
  });
});

describe('words', () => {
  const cards = [
    cardOf({ id: 'a', questionText: 'round area' }),
    cardOf({ id: 'b', questionText: 'circle speed' }),
    cardOf({ id: 'c', questionText: 'circle area' }),
  ];
  const words = requestOf({ subject: { kind: 'text', text: 'circle' }, lexicalShare: 1, expand: false });

  test('given as keywords sharpen a query', async () => {
    const scores = async (keywords: readonly string[]): Promise<Record<string, number>> => {
      const { hits } = await searchIn({ cards }, { ...words, keywords });
      return Object.fromEntries(hits.map(({ card, score }) => [card.id, score]));
    };
    const [plain, sharp] = [await scores([]), await scores(['speed'])];
    expect(plain.b).toBe(plain.c);
    expect(sharp.b).toBeGreaterThan(sharp.c ?? Number.NaN);
  });

  test('that are synonyms find more, without lowering exact matches, and are in the receipt', async () => {
    const synonyms = { of: () => ['round'] };
    const plain = await searchIn({ cards, synonyms }, words);
    expect([idsIn(plain), plain.receipt.expandedQuery]).toEqual([['b', 'c'], null]);
    for (const strategy of ['FUSED', 'LAYERED'] as const) {
      const { hits, receipt } = await searchIn({ cards, synonyms }, { ...words, expand: true, strategy, topK: 50 });
      expect(new Set(hits.map(({ card }) => card.id))).toEqual(new Set(['a', 'b', 'c']));
      expect(receipt.expandedQuery).toBe('circle round');
      for (const hit of plain.hits) {
        const again = hits.find(({ card }) => card.id === hit.card.id);
        expect(again?.score).toBeGreaterThanOrEqual(hit.score);
      }
    }
  });

  test('that are synonyms are in the receipt of a layered search that scored by them, even without an expanded layer', async () => {
    const synonyms = { of: () => ['round'] };
    const { receipt } = await searchIn({ cards, synonyms }, { ...words, expand: true, strategy: 'LAYERED', topK: 1 });
    expect(receipt.layers.map(({ layer }) => layer)).toEqual(['SEMANTIC']);
    expect(receipt.expandedQuery).toBe('circle round');
  });
});
