import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryWorld } from '../../../bench/memory-engine.js';
import type { NewCard } from '../../../src/domain/card.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { isBetter } from '../../../src/evaluation/learning/learner.js';
import { gradesByLabels } from '../../../src/evaluation/learning/notebook-queries.js';
import { BUILTIN_SETTINGS, requestBy } from '../../../src/search/profile.js';
import { indexOf, notebookOfTopics } from './learning-examples.js';

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
  const cards = notebookOfTopics();

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
    // Reports say of five queries that differ that nothing is proved by them, of six more.
    const gainOf = (queries: number) => [...all(0.3, 0.3).slice(queries), ...all(1, 1).slice(0, queries)];
    expect([1, 5, 6].map((queries) => isBetter(all(0.3, 0.3), gainOf(queries)))).toEqual([false, false, true]);
    // What whole questions gain must not cost searches by the name of a topic.
    const mixed = [...all(0.3, 0.3), ...all(0.9, 0.9)];
    const named = mixed.map(({ mrr }) => mrr === 0.9);
    expect(isBetter(mixed, [...all(0.5, 0.5), ...all(0.8, 0.9)], named)).toBe(false);
    expect(isBetter(mixed, [...all(0.5, 0.5), ...all(0.9, 0.9)], named)).toBe(true);
  });
});
