import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { among, memoryWorld, stored } from '../../../bench/memory-engine.js';
import type { NewCard } from '../../../src/domain/card.js';
import { parseNewCard } from '../../../src/domain/parse/card.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { isBetter, LEAST_QUERIES, Learner } from '../../../src/evaluation/learning/learner.js';
import { gradesByLabels } from '../../../src/evaluation/learning/notebook-queries.js';
import { BUILTIN_SETTINGS, requestBy } from '../../../src/search/profile.js';
import { indexOf } from './learning-examples.js';

const { signal } = new AbortController();

describe('the grades of cards that share labels', () => {
  const cards = fc.array(fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', 'd'), { maxLength: 3 }), {
    minLength: 1,
    maxLength: 30,
  });

  test('are the share of the information of the labels, for every candidate and enough others', () => {
    fc.assert(
      fc.property(cards, fc.array(fc.nat(29), { maxLength: 10 }), (labels, candidates) => {
        const index = indexOf(labels.map((topicTags, n) => ({ id: `c${n}`, topicTags })));
        const asked = candidates.map((n) => `c${n}`).filter((id) => index.cards.docOf(id) !== undefined);
        const grades = gradesByLabels(index, 'concept', 'c0', asked);
        const countOf = (label: string): number => labels.filter((own) => own.includes(label)).length;
        const informationOf = (own: readonly string[]): number =>
          own
            .filter((label) => labels[0]?.includes(label) && countOf(label) > 1)
            .reduce((sum, label) => sum + Math.log(labels.length / countOf(label)), 0);
        const all = informationOf(labels[0] as string[]);
        const expected = new Map<string, number>(
          labels.flatMap((own, n) => {
            const shared = informationOf(own);
            return n > 0 && shared > 0 ? [[`c${n}`, Math.max(1, Math.round((3 * shared) / all))] as const] : [];
          }),
        );
        for (const [id, grade] of grades) expect(grade).toBe(expected.get(id));
        for (const id of asked) expect(grades.get(id)).toBe(expected.get(id));
        expect(grades.size).toBeGreaterThanOrEqual(Math.min(10, expected.size));
      }),
    );
  });
});

describe('learning from a notebook', () => {
  const TOPICS = ['ratio', 'angles', 'primes', 'averages', 'speed'];
  const cards = Array.from({ length: 100 }, (_, n): NewCard => {
    const topic = TOPICS[n % TOPICS.length] as string;
    const questionText = `${topic} exercise number ${n} with ${n * 7} apples and ${n * 3} pears`;
    return parseNewCard({ id: `c${n}`, subject: 'math', difficulty: 1, questionText, topicTags: [topic] }, 'card');
  });

  test('asks with the labelled cards, holds half of the queries out, and never does worse there where it is used', async () => {
    const { engine, index } = await memoryWorld(cards, { hasColumns: false });
    const byId = new Map(cards.map((card) => [`${card.id}`, stored(card)]));
    const learner = new Learner({
      rescorers: engine,
      cards: { byIds: async (_viewer, ids) => among(byId, ids) },
      defaults: BUILTIN_SETTINGS,
      takeTurn: async (step) => step(),
    });
    const learned = await learner.learn(DEFAULT_VIEWER, index, signal);
    // No card has a solution or an error type.
    expect(learned.map(({ operation }) => operation)).toEqual(['similarQuestions', 'byConcept', 'hybridSearch']);
    for (const { operation, trainingQueries, heldOutQueries, used, byDefault, learned: after } of learned) {
      expect(trainingQueries + heldOutQueries).toBe(cards.length);
      // Queries with the same text, such as the name of a topic, are in the same half.
      if (operation !== 'byConcept') expect(Math.abs(trainingQueries - heldOutQueries)).toBeLessThanOrEqual(1);
      if (used) expect(after.ndcgAt10).toBeGreaterThanOrEqual(byDefault.ndcgAt10);
      if (used) expect(after.mrr).toBeGreaterThanOrEqual(byDefault.mrr);
    }
    expect(await learner.learn(DEFAULT_VIEWER, index, signal)).toEqual(learned);
    expect(await learner.learn(DEFAULT_VIEWER, indexOf([]), signal)).toEqual([]);
    expect(cards.length).toBeGreaterThan(LEAST_QUERIES);
  });

  test('a query is answered as if its own card were not in the notebook', async () => {
    const { engine } = await memoryWorld(cards, { hasColumns: false });
    const [first] = cards as [NewCard];
    const subject = { kind: 'text', text: first.questionText, leaveOut: 'c0' } as const;
    const request = requestBy(BUILTIN_SETTINGS, { operation: 'hybridSearch', subject, filter: {} }, 50);
    const rescorer = await engine.rescorer(DEFAULT_VIEWER, request, signal);
    expect(rescorer.cardIds).not.toContain('c0');
    expect(rescorer.cardIds).toHaveLength(cards.length - 1);
  });

  test('learned settings are used only if the gain is beyond chance and neither measure is lower', () => {
    const all = (ndcgAt10: number, mrr: number) => Array.from({ length: 40 }, () => ({ ndcgAt10, mrr }));
    expect(isBetter(all(0.3, 0.3), all(0.4, 0.4))).toBe(true);
    expect(isBetter(all(0.3, 0.3), all(0.3, 0.3))).toBe(false);
    expect(isBetter(all(0.3, 0.3), all(0.6, 0.29))).toBe(false);
    expect(isBetter(all(0.3, 0.3), all(0.29, 0.6))).toBe(false);
    const uneven = [...all(0.3, 0.3).slice(1), { ndcgAt10: 1, mrr: 1 }];
    expect(isBetter(all(0.3, 0.3), uneven)).toBe(false);
    // What whole questions gain must not cost searches by the name of a topic.
    const mixed = [...all(0.3, 0.3), ...all(0.9, 0.9)];
    const named = mixed.map(({ mrr }) => mrr === 0.9);
    expect(isBetter(mixed, [...all(0.5, 0.5), ...all(0.8, 0.9)], named)).toBe(false);
    expect(isBetter(mixed, [...all(0.5, 0.5), ...all(0.9, 0.9)], named)).toBe(true);
  });
});
