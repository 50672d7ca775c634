import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { sampleNotebook } from '../../bench/card-files.js';
import { type NewCard, perspectiveTexts } from '../../src/domain/card.js';
import { PERSPECTIVES, type Perspective } from '../../src/domain/perspective.js';
import { analyserOf, termWeight } from '../../src/lexical/terms.js';
import { BuiltinEmbedder } from '../../src/models/builtin.js';
import { Tokenizer } from '../../src/text/tokenizer.js';
import { WordWeights } from '../../src/text/word-weights.js';
import { type Api, sharedGateway } from '../support/gateway.js';
import { NaiveBm25, NaiveFields } from '../support/naive-bm25.js';
import { createAll, idsOf, wholeSearch as search } from '../support/notebook.js';
import { runs } from '../support/runs.js';

/**
 * What the answers must be: every card scored against the query, by nothing but the model and arithmetic. The sample's
 * texts all fit one passage but the long reading passage, which is left out here.
 */
class Oracle {
  readonly #embedder = new BuiltinEmbedder(new Tokenizer(), new WordWeights());
  readonly #vectors = new Map<string, Record<Perspective, readonly Float32Array[]>>();
  readonly #cards: readonly NewCard[];

  constructor(cards: readonly NewCard[]) {
    this.#cards = cards;
  }

  async prepare(): Promise<void> {
    for (const card of this.#cards) {
      const texts = perspectiveTexts(card);
      const vectors = await Promise.all(PERSPECTIVES.map((perspective) => this.embed(texts[perspective])));
      const [question = [], solution = [], concept = [], error = []] = vectors;
      this.#vectors.set(String(card.id), { question, solution, concept, error });
    }
  }

  embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
    return this.#embedder.embed(texts, 'passage', 'question', new AbortController().signal);
  }

  /** Every card that passes, best first. */
  async rank(
    text: string,
    weights: Readonly<Record<Perspective, number>>,
    passes: (card: NewCard) => boolean,
  ): Promise<readonly { readonly id: string; readonly score: number }[]> {
    const [query] = await this.embed([text]);
    if (query === undefined) throw new Error('no query vector');
    const scored = this.#cards.filter(passes).flatMap((card) => {
      const id = String(card.id);
      let sum = 0;
      let total = 0;
      let best = 0;
      const nearest = (perspective: Perspective): number | null => {
        const vectors = this.#vectors.get(id)?.[perspective] ?? [];
        if (vectors.length === 0) return null;
        const dots = vectors.map((vector) => vector.reduce((dot, value, i) => dot + value * (query[i] ?? 0), 0));
        return Math.max(0, ...dots);
      };
      const [question, solution] = [nearest('question'), nearest('solution')];
      for (const perspective of PERSPECTIVES) {
        const own = nearest(perspective);
        if (weights[perspective] === 0 || own === null) continue;
        // A text may be an attempt: it is compared with question and solution too.
        const isAttempt = perspective === 'error' && question !== null && solution !== null;
        const score = isAttempt ? Math.max(own, (question + solution) / 2) : own;
        sum += weights[perspective] * score;
        total += weights[perspective];
        best = Math.max(best, score);
      }
      return total === 0 ? [] : [{ id, score: sum / total, best }];
    });
    return scored.sort((a, b) => b.score - a.score || b.best - a.best || (a.id < b.id ? -1 : 1));
  }
}

function expectClose(found: readonly number[], wanted: readonly number[]): void {
  expect(found.map((score, place) => Math.abs(score - (wanted[place] ?? Number.NaN)) < 1e-6)).toEqual(
    wanted.map(() => true),
  );
}

/** Every card is alike enough. */
const EVERY_CARD = { thresholdSteps: [0] };
/** What the vectors' oracle knows: no words, and nothing is inferred. */
const VECTORS_ALONE = { ...EVERY_CARD, lexicalShare: 0 };
const WEIGHTS = { question: 4, solution: 3, concept: 2, error: 1 };

describe('answers agree with a scan over all cards', () => {
  let gateway: Api;
  let cards: readonly NewCard[];
  let oracle: Oracle;

  beforeAll(async () => {
    cards = (await sampleNotebook()).filter((card) => card.questionText.length < 1_000);
    oracle = new Oracle(cards);
    const shared = await sharedGateway();
    gateway = shared.gateway.as(await shared.tokenOf({ sub: 'ada', role: 'admin' }));
    await Promise.all([createAll(gateway, cards), oracle.prepare()]);
  });

  test('four lanes, unfiltered: ids, order and scores to 1e-6', async () => {
    const texts = [
      '一元二次方程的根',
      'forgot the negative root',
      '单位没有换算',
      'percent of the wrong base',
      '$\\frac{1}{2}+\\frac{1}{3}$',
    ];
    for (const text of texts) {
      const expected = await oracle.rank(text, WEIGHTS, () => true);
      const { hits } = await search(gateway, 'hybridSearch', {
        text,
        weights: WEIGHTS,
        topK: 10,
        options: VECTORS_ALONE,
      });
      expect(idsOf({ hits })).toEqual(expected.slice(0, 10).map(({ id }) => id));
      hits.forEach((hit, place) => {
        expect(Math.abs(hit.score - (expected[place]?.score ?? Number.NaN))).toBeLessThan(1e-6);
        expect(Math.abs(hit.score - hit.lanes.reduce((sum, { contribution }) => sum + contribution, 0))).toBeLessThan(
          1e-9,
        );
      });
    }
  });

  test('200 random filters: exactly the cards that a scan finds, in its order', async () => {
    const tags = [...new Set(cards.flatMap(({ topicTags }) => topicTags))];
    const errors = [...new Set(cards.flatMap(({ errorTypes }) => errorTypes))];
    const someOf = <T>(values: readonly T[], maxLength = 4) =>
      fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength });
    const conditions = {
      grade: someOf(['G1', 'G4', 'G6', 'G7', 'G8', 'G9', 'G10', 'G11', 'G12']),
      subject: someOf(['math', 'physics', 'chemistry', 'biology', 'english', 'chinese']),
      difficulty: fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })),
      topicTags: someOf(tags, 20),
      errorTypes: someOf(errors, 5),
      qualityGrade: someOf(['EXCELLENT', 'GOOD', 'FAIR'] as const),
      occurredAfter: fc.date({ min: new Date('2025-09-01'), max: new Date('2026-10-31'), noInvalidDate: true }),
    };
    // Up to three at once: with five or six of them, three in four filters match no card.
    const filters = fc.subarray(Object.keys(conditions), { maxLength: 3 }).chain((asked) => {
      const ifAsked = <T>(name: keyof typeof conditions, values: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
        asked.includes(name) ? values : fc.constant(null);
      return fc.record({
        grade: ifAsked('grade', conditions.grade),
        subject: ifAsked('subject', conditions.subject),
        difficulty: ifAsked('difficulty', conditions.difficulty),
        topicTags: ifAsked('topicTags', conditions.topicTags),
        errorTypes: ifAsked('errorTypes', conditions.errorTypes),
        qualityGrade: ifAsked('qualityGrade', conditions.qualityGrade),
        occurredAfter: ifAsked('occurredAfter', conditions.occurredAfter),
        text: fc.constantFrom('方程', 'sign error', '忘记单位', 'force on a slope', '分数的加法'),
      });
    });
    await fc.assert(
      fc.asyncProperty(filters, async ({ text, difficulty, ...lists }) => {
        const [low, high] =
          difficulty === null ? [undefined, undefined] : [Math.min(...difficulty), Math.max(...difficulty)];
        const filter = Object.fromEntries(
          Object.entries({ ...lists, difficultyMin: low, difficultyMax: high }).filter(([, value]) => value !== null),
        );
        const any = <T>(wanted: readonly T[] | null, has: readonly (T | null)[]): boolean =>
          wanted === null || has.some((value) => value !== null && wanted.includes(value));
        const passes = (card: NewCard): boolean =>
          any(lists.grade, [card.grade]) &&
          any(lists.subject, [card.subject]) &&
          any(lists.topicTags, card.topicTags) &&
          any(lists.errorTypes, card.errorTypes) &&
          any(lists.qualityGrade, [card.qualityGrade]) &&
          (low === undefined || card.difficulty >= low) &&
          (high === undefined || card.difficulty <= high) &&
          (lists.occurredAfter === null || card.occurredAt >= lists.occurredAfter);
        const expected = await oracle.rank(text, WEIGHTS, passes);
        const answer = await search(gateway, 'hybridSearch', {
          text,
          weights: WEIGHTS,
          topK: 20,
          filter,
          options: VECTORS_ALONE,
        });
        // By scores: 1e-9 is 0 in one of them, where cards have nothing in common with the text.
        const page = expected.slice(0, 20);
        const scores = new Map(expected.map(({ id, score }) => [id, score]));
        const { hits } = answer;
        expect(new Set(idsOf(answer)).size).toBe(page.length);
        expectClose(
          hits.map(({ score }) => score),
          page.map(({ score }) => score),
        );
        expectClose(
          hits.map(({ score }) => score),
          hits.map(({ card }) => scores.get(card.id) ?? Number.NaN),
        );
        const restricted = Object.values(filter).some((value) => value !== undefined);
        expect(answer.receipt.matchedByFilter).toBe(restricted ? cards.filter(passes).length : null);
      }),
      { numRuns: runs(200) },
    );
  });

  test('the lexical lanes: every score equals a plain BM25 over all cards, to 1e-9', async () => {
    const wordsOf = analyserOf(new Tokenizer());
    const naive = new Map(PERSPECTIVES.map((perspective) => [perspective.toUpperCase(), new NaiveBm25(termWeight)]));
    const attempts = new NaiveBm25(termWeight);
    const fields = new NaiveFields({ weightOf: termWeight });
    for (const card of cards) {
      const texts = perspectiveTexts(card);
      const words = PERSPECTIVES.map((perspective) => texts[perspective].flatMap(wordsOf));
      PERSPECTIVES.forEach((perspective, place) => {
        naive.get(perspective.toUpperCase())?.set(String(card.id), words[place] ?? []);
      });
      fields.set(String(card.id), words);
      // An error is compared by its own text and by the question with the wrong solution, whichever is more alike.
      const attempt = [card.questionText, card.studentSolutionText ?? ''].flatMap(wordsOf);
      if (texts.error.length > 0 || card.studentSolutionText) attempts.set(String(card.id), attempt);
    }
    for (const text of ['一元二次方程的根', 'forgot the negative root', '$\\frac{1}{2}+\\frac{1}{3}$']) {
      const { hits, receipt } = await search(gateway, 'hybridSearch', {
        text,
        weights: WEIGHTS,
        topK: 20,
        options: EVERY_CARD,
      });
      expect(receipt.degraded).toEqual([]);
      for (const perspective of naive.keys()) {
        // Other words for what the text says may add to a card's score, never take from it.
        const expected = new Map<string, number>();
        for (const asked of [text, receipt.expandedQuery ?? text]) {
          const words = wordsOf(asked);
          const found = naive.get(perspective)?.search(words, cards.length) ?? [];
          const byAttempt = perspective === 'ERROR' ? attempts.search(words, cards.length) : [];
          // A hybrid search compares its text with all texts of a card as one, too.
          const byFields = perspective === 'QUESTION' ? fields.scores(words) : [];
          const all = Array.from(byFields, ([cardId, score]) => ({ cardId, score }));
          for (const { cardId, score } of [...found, ...byAttempt, ...all]) {
            expected.set(cardId, Math.max(score, expected.get(cardId) ?? 0));
          }
        }
        for (const { card, lanes } of hits) {
          const lane = lanes.find((one) => one.kind === 'LEXICAL' && one.perspective === perspective);
          const said =
            naive.get(perspective)?.cards.has(card.id) || (perspective === 'ERROR' && attempts.cards.has(card.id));
          expect(lane === undefined).toBe(!said);
          if (lane !== undefined) expect(lane.score).toBeCloseTo(expected.get(card.id) ?? 0, 9);
        }
      }
      for (const { score, lanes } of hits) {
        expect(Math.abs(score - lanes.reduce((sum, { contribution }) => sum + contribution, 0))).toBeLessThan(1e-9);
      }
      expect(hits.some(({ lanes }) => lanes.some(({ kind, score }) => kind === 'LEXICAL' && score > 0))).toBe(true);
    }
  });

  test('the same query returns the same list, and a card never finds itself', async () => {
    const args = { cardId: 'sample-en-036', topK: 20 };
    const first = await search(gateway, 'byError', args);
    expect(await search(gateway, 'byError', args)).toEqual({ ...first, receipt: expect.anything() });
    expect(first.hits.length).toBeGreaterThan(0);
    expect(idsOf(first)).not.toContain('sample-en-036');
  });
});
