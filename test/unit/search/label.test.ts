import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Perspective } from '../../../src/domain/perspective.js';
import { LANES } from '../../../src/domain/search.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { analyserOf, formulaOf } from '../../../src/lexical/terms.js';
import { labelCandidates } from '../../../src/search/label.js';
import { type LaneWeights, laneIndex } from '../../../src/search/lanes.js';
import type { Query } from '../../../src/search/query/query.js';
import type { ScoreMatrix } from '../../../src/search/score.js';
import { Tokenizer } from '../../../src/text/tokenizer.js';
import { cardOf, scoreArb } from '../../support/generators.js';
import { literalWords } from '../../support/memory-ports.js';
import { contrastArb, laneWeights, matrixArb, matrixOf, reordered } from '../../support/score-matrices.js';

const index = new LexicalIndex(literalWords);
index.set(cardOf({ id: 'circle', topicTags: ['circles', 'area'], errorTypes: ['guessed'] }));
index.set(cardOf({ id: 'train', topicTags: ['motion'] }));
index.set(cardOf({ id: 'bare' }));

const LABELS = { 'INFERRED concept': 0.4 } as const;
const planned = laneWeights({ 'DENSE question': 0.6, ...LABELS });

const nothing = { kind: 'inferred', labels: [], mentioned: false } as const;
const circles = {
  kind: 'inferred',
  labels: [{ label: 'circles', score: 0.5, named: 0, cards: 1 }],
  mentioned: false,
} as const;

/** Cards with a score by the vectors of the question. */
function tableBy(scores: Readonly<Record<string, number>>): ScoreMatrix {
  return matrixOf(Object.fromEntries(Object.entries(scores).map(([id, score]) => [id, { 'DENSE question': score }])));
}

/** What the cards score in one inferred lane, by id; null if the lane was not scored. */
function scoresOf({ cardIds, lanes }: ScoreMatrix, perspective: Perspective): Record<string, number> | null {
  const scores = lanes[laneIndex({ kind: 'INFERRED', perspective })] ?? null;
  return scores && Object.fromEntries(cardIds.map((cardId, row) => [cardId, scores[row] as number]));
}

function inferring(scores: Readonly<Record<string, number>>, concept: Query['labels']['concept'], weights = planned) {
  return labelCandidates(tableBy(scores), weights, { labels: { concept, error: nothing } }, index);
}

describe('labelCandidates', () => {
  test('scores a card by the posteriors of its labels given the query, and names these labels', () => {
    const { matrix, inferredConcepts } = inferring({ circle: 0.2, train: 0.1 }, circles);
    const scores = scoresOf(matrix, 'concept');
    // Profile, best card and votes speak for circles, the best card and votes for area, a card half as near for motion.
    const cards = 0.3 * Math.log(2);
    const evidence = [4 + 1.6 + 1.2 + cards, 1.6 + 1.2 + cards, 1.6 * 0.5 + 1.2 * 0.5 ** 8 + cards];
    const total = [5, ...evidence].reduce((sum, one) => sum + Math.exp(one), 0);
    const [circle, area, motion] = evidence.map((one) => Math.exp(one) / total) as [number, number, number];
    // One card of three carries each label.
    const common = (circle + area + motion) / 9;
    expect(scores?.circle).toBeCloseTo(((circle + area - common) / (1 - common)) ** 0.25, 12);
    // Not above what most cards have in common: a tenth is left.
    expect(motion).toBeLessThan(common);
    expect(scores?.train).toBeCloseTo((motion / 10) ** 0.25, 12);
    expect(inferredConcepts).toEqual(['circles', 'area', 'motion']);
  });

  test('gives a label with a name like that of the likely one a part of its value, and names it no likely label for it', () => {
    const named = new LexicalIndex((text) => text.split(' '));
    named.set(cardOf({ id: 'sum', topicTags: ['arithmetic series sum'] }));
    named.set(cardOf({ id: 'term', topicTags: ['arithmetic series term'] }));
    named.set(cardOf({ id: 'other', topicTags: ['primes'] }));
    const likely = { label: 'arithmetic series sum', score: 0.9, named: 0, cards: 1 };
    const concept = { kind: 'inferred', labels: [likely], mentioned: false } as const;
    const { matrix, inferredLabels } = labelCandidates(
      tableBy({ sum: 0.1, term: 0, other: 0 }),
      planned,
      { labels: { concept, error: nothing } },
      named,
    );
    const scores = scoresOf(matrix, 'concept');
    expect(scores?.term).toBeGreaterThan(scores?.other as number);
    expect(scores?.term).toBeLessThan(scores?.sum as number);
    expect(inferredLabels.map(({ label }) => label)).toEqual(['arithmetic series sum']);
  });

  test('lets the nearest cards vote where the profiles know nothing', () => {
    const { matrix, inferredConcepts } = inferring({ circle: 0.1, train: 0.9 }, nothing);
    const scores = scoresOf(matrix, 'concept');
    expect(scores?.train).toBeGreaterThan(scores?.circle as number);
    expect(inferredConcepts[0]).toBe('motion');
  });

  test('takes the thirty nearest cards as evidence, with labels or without, and no other', () => {
    const nearer = Object.fromEntries(Array.from({ length: 29 }, (_, place) => [`unlabelled${place}`, 0.9]));
    const scores = scoresOf(inferring({ ...nearer, circle: 0.8, train: 0.7 }, nothing).matrix, 'concept');
    expect(scores?.circle).toBeGreaterThan(0);
    expect(scores?.train).toBe(0);
  });

  test('infers and scores labels as if a card that is left out were not there', () => {
    const scores = { circle: 0.2, train: 0.1 };
    const more = new LexicalIndex(literalWords);
    for (const id of ['circle', 'train', 'bare'])
      more.set(cardOf({ id, topicTags: index.profiles.concept.labelsOf(id) }));
    more.set(cardOf({ id: 'left', topicTags: ['circles'] }));
    const of = (inIndex: LexicalIndex, leaveOut?: string) =>
      labelCandidates(tableBy(scores), planned, { leaveOut, labels: { concept: circles, error: nothing } }, inIndex);
    expect(of(more, 'left')).toEqual(of(index));
    expect(of(index, 'unknown')).toEqual(of(index));
    expect(of(more).inferredLabels).not.toEqual(of(index).inferredLabels);
  });

  test('ignores avoided lanes in the kNN vote', () => {
    const weights = laneWeights({ 'DENSE question': 0.6, 'INFERRED concept': 0.4, 'DENSE solution': -1 });
    const unlike = { 'DENSE question': 0.1, 'DENSE solution': 1 };
    const matrix = matrixOf({ circle: unlike, train: { 'DENSE question': 0.9 } });
    const { inferredConcepts } = labelCandidates(
      matrix,
      weights,
      { labels: { concept: nothing, error: nothing } },
      index,
    );
    expect(inferredConcepts[0]).toBe('motion');
  });

  test('gives a card without labels 45 % of what the nearest cards with labels lead to expect, by its texts', () => {
    const scores = scoresOf(inferring({ bare: 0.4, circle: 0.5, train: 0.1 }, circles).matrix, 'concept');
    const voted = (scores?.circle as number) * 0.5 ** 8 + (scores?.train as number) * 0.1 ** 8;
    const ratio = voted / (0.5 ** 9 + 0.1 ** 9);
    expect(scores?.bare).toBeCloseTo(0.45 * ratio * 0.4, 12);
  });

  test('gives a card without labels at least the sixth power of its score by texts: 1 with the text of the query', () => {
    expect(scoresOf(inferring({ bare: 1, circle: 0.5 }, circles).matrix, 'concept')?.bare).toBe(1);
    expect(scoresOf(inferring({ bare: 0.5 }, circles).matrix, 'concept')?.bare).toBeCloseTo(1 / 64, 12);
  });

  test('gives a card with the question of the query 1, whatever its labels and its other texts', () => {
    const weights = laneWeights({ 'DENSE question': 0.2, 'LEXICAL question': 0.2, 'DENSE solution': 0.3, ...LABELS });
    const texts = { 'LEXICAL question': 1, 'DENSE solution': 0.1 };
    const cards = { bare: { 'DENSE question': 1, ...texts }, train: { 'DENSE question': 1, ...texts } };
    // All words of the query are in its question, and more.
    const table = matrixOf({ ...cards, circle: { 'DENSE question': 0.98, ...texts } });
    const query = { labels: { concept: circles, error: nothing } };
    const scores = scoresOf(labelCandidates(table, weights, query, index).matrix, 'concept');
    expect(scores).toMatchObject({ bare: 1, train: 1 });
    expect(scores?.circle).toBeLessThan(1);
  });

  test('gives a card whose question has the formula of the query 1, where questions are compared', () => {
    const formulas = new LexicalIndex(analyserOf(new Tokenizer()));
    formulas.set(cardOf({ id: 'circle', questionText: '解方程 x+3=5', topicTags: ['circles'] }));
    formulas.set(cardOf({ id: 'train', questionText: '已知 x+2=5，求 x+3', topicTags: ['motion'] }));
    formulas.set(cardOf({ id: 'bare', questionText: '一列火车' }));
    const texts = { 'DENSE question': 0.5, 'LEXICAL question': 0.5 };
    const table = matrixOf({ circle: texts, train: texts, bare: texts });
    const scoresBy = (text: string, weights: LaneWeights) => {
      const formula = formulaOf(formulas.termsOf([text]));
      const query = { labels: { concept: circles, error: nothing }, formula };
      return scoresOf(labelCandidates(table, weights, query, formulas).matrix, 'concept') ?? {};
    };
    const asked = laneWeights({ ...texts, ...LABELS });
    const without = scoresBy('火车', asked);
    expect(scoresBy('x+2=5', asked)).toEqual({ ...without, train: 1 });
    expect(scoresBy('x+3', asked)).toEqual({ ...without, circle: 1, train: 1 });
    expect(scoresBy('x+7=5', asked)).toEqual(without);
    expect(scoresBy('x+2=5', planned)).toEqual(scoresBy('火车', planned));
  });

  test('tells the scores of the candidates by their texts, whether or not anything is inferred', () => {
    const without = laneWeights({ 'DENSE question': 1 });
    expect([...inferring({ circle: 0.2, train: 0.3 }, circles).byTexts]).toEqual([0.2, 0.3]);
    expect([...inferring({ circle: 0.2, train: 0.3 }, circles, without).byTexts]).toEqual([0.2, 0.3]);
    expect([...inferring({}, circles).byTexts]).toEqual([]);
  });

  test('has no score for any card where nothing speaks for any label', () => {
    const { matrix, inferredConcepts } = inferring({ bare: 0.9 }, nothing);
    expect(scoresOf(matrix, 'concept')).toEqual({ bare: Number.NaN });
    expect(inferredConcepts).toEqual([]);
  });

  test('leaves a lane out that was not asked for', () => {
    const { matrix, inferredConcepts } = inferring({ circle: 0.9 }, circles, laneWeights({ 'DENSE question': 1 }));
    expect(scoresOf(matrix, 'concept')).toBeNull();
    expect(inferredConcepts).toEqual([]);
    expect(scoresOf(inferring({ circle: 0.9 }, circles).matrix, 'error')).toBeNull();
  });

  test('takes known labels as they are, whatever the nearest cards carry, and infers none', () => {
    const { matrix, inferredConcepts } = inferring(
      { circle: 0.9, train: 0.1 },
      { kind: 'known', labels: ['motion'], unshared: [] },
    );
    expect(scoresOf(matrix, 'concept')).toEqual({ circle: 0, train: 1 });
    expect(inferredConcepts).toEqual([]);
  });

  test('changes no score of the other lanes', () => {
    fc.assert(
      fc.property(matrixArb, contrastArb, (before, weights) => {
        const { matrix } = labelCandidates(before, weights, { labels: { concept: circles, error: nothing } }, index);
        expect(matrix.cardIds).toEqual(before.cardIds);
        LANES.forEach(({ kind }, lane) => {
          if (kind !== 'INFERRED' || weights[lane] === 0) expect(matrix.lanes[lane]).toBe(before.lanes[lane]);
        });
      }),
    );
  });

  test('says the same of the same cards, in whatever order they come', () => {
    const scored = fc.record({ circle: scoreArb, train: scoreArb, bare: scoreArb });
    const rows = fc.shuffledSubarray([0, 1, 2], { minLength: 3 });
    fc.assert(
      fc.property(scored, rows, fc.constantFrom(nothing, circles), (scores, order, concept) => {
        const query = { labels: { concept, error: nothing } };
        const one = labelCandidates(tableBy(scores), planned, query, index);
        const other = labelCandidates(reordered(tableBy(scores), order), planned, query, index);
        expect(scoresOf(other.matrix, 'concept')).toEqual(scoresOf(one.matrix, 'concept'));
        expect(other.inferredConcepts).toEqual(one.inferredConcepts);
      }),
    );
  });
});
