import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BadInputError, NotFoundError } from '../../../src/domain/errors.js';
import type { OwnedAttempt } from '../../../src/domain/ports/practice.js';
import type { SearchRequest } from '../../../src/domain/search.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { difficultyBy, gaussianOf, gradeAt, type Neighbour } from '../../../src/practice/card-difficulty.js';
import { DifficultyService } from '../../../src/practice/difficulty-service.js';
import { BUILTIN_SETTINGS } from '../../../src/search/profile.js';

const neighbour = (id: string, difficulty: number, score = 0.8): Neighbour => ({ id, difficulty, score });
const attempts = (cardId: string, correct: boolean, students: number): OwnedAttempt[] =>
  Array.from({ length: students }, (_, place) => ({
    ...{ ownerId: `s${place}`, key: `${cardId}-${place}`, cardId, reviewOf: null, at: new Date(place), correct },
    ...{ hints: 0, durationMs: null, changedAnswer: false },
  }));

describe('the difficulty of a card by its neighbours', () => {
  test('is their mean grade without attempts, and says how many they are and how far they differ', () => {
    expect(difficultyBy([neighbour('a', 2), neighbour('b', 4)], [])).toEqual({
      estimate: expect.closeTo(3, 10),
      spread: expect.closeTo(1, 10),
      neighbourIds: ['a', 'b'],
      ...{ attempts: 0, right: 0 },
    });
    const nearer = difficultyBy([neighbour('a', 2, 0.8), neighbour('b', 4, 0.4)], []);
    expect(nearer?.estimate).toBeCloseTo(2.4, 10);
    expect(difficultyBy([], [])).toBeNull();
  });

  test('is higher where neighbours are got wrong, and lower where they are solved', () => {
    const found = [neighbour('a', 3), neighbour('b', 3)];
    const wrong = difficultyBy(found, attempts('a', false, 10));
    const right = difficultyBy(found, attempts('a', true, 10));
    expect(wrong?.estimate).toBeGreaterThan(3.2);
    expect(right?.estimate).toBeLessThan(2.8);
    expect(wrong).toMatchObject({ attempts: 10, right: 0 });
    expect(right).toMatchObject({ attempts: 10, right: 10 });
    expect(difficultyBy(found, attempts('of another card', false, 10))).toEqual(difficultyBy(found, []));
  });

  test('is a grade between those of its neighbours where nobody has attempted them, for any neighbours', () => {
    const found = fc.array(
      fc.record({ difficulty: fc.integer({ min: 1, max: 5 }), score: fc.double({ min: 0.01, max: 1, noNaN: true }) }),
      { minLength: 1, maxLength: 15 },
    );
    fc.assert(
      fc.property(found, (cards) => {
        const sorted = cards.sort((a, b) => b.score - a.score).map((card, place) => ({ ...card, id: `c${place}` }));
        const nearest = sorted.slice(0, 10).map(({ difficulty }) => difficulty);
        const { estimate, spread, neighbourIds } = difficultyBy(sorted, []) ?? {
          estimate: 0,
          spread: -1,
          neighbourIds: [],
        };
        expect(estimate).toBeGreaterThanOrEqual(Math.min(...nearest) - 1e-9);
        expect(estimate).toBeLessThanOrEqual(Math.max(...nearest) + 1e-9);
        expect(spread).toBeGreaterThanOrEqual(0);
        expect(neighbourIds).toHaveLength(nearest.length);
      }),
    );
    for (const grade of [1, 2, 3, 4, 5]) expect(gradeAt(gaussianOf(grade))).toBeCloseTo(grade, 10);
    expect(gradeAt({ mean: 9 })).toBe(1);
  });

  test('asks for the cards most like it, and the attempts at those alone', async () => {
    const asked: unknown[] = [];
    const viewer: Viewer = { tenantId: 'north', ownerId: 'tess', role: 'teacher' };
    const service = new DifficultyService({
      engine: {
        search: async (_viewer: Viewer, request: SearchRequest) => {
          asked.push(request.subject, request.topK);
          return {
            hits: [
              { card: { id: 'a', difficulty: 4 }, score: 0.5 },
              { card: { id: 'b', difficulty: 1 }, score: 0 },
            ],
          };
        },
      } as never,
      profiles: { chosen: async () => ({ name: 'default', description: null, settings: BUILTIN_SETTINGS }) },
      attempts: {
        log: async (_viewer, which) => {
          asked.push(which);
          return [];
        },
      },
    });
    const { signal } = new AbortController();
    expect(await service.difficulty(viewer, 'c', signal)).toMatchObject({ estimate: 4, neighbourIds: ['a'] });
    expect(asked).toEqual([{ kind: 'card', cardId: 'c' }, 10, { cardIds: ['a'] }]);
  });

  test('of a card with nothing to search for is unknown', async () => {
    const search = async () => {
      throw new BadInputError('cardId', 'the card has no text');
    };
    const service = new DifficultyService({
      engine: { search } as never,
      profiles: { chosen: async () => ({ name: 'default', description: null, settings: BUILTIN_SETTINGS }) },
      attempts: { log: async () => [] },
    });
    const viewer: Viewer = { tenantId: 'north', ownerId: 'tess', role: 'teacher' };
    expect(await service.difficulty(viewer, 'marks', new AbortController().signal)).toBeNull();
  });

  test('of a card that the viewer does not have is NOT_FOUND', async () => {
    const service = new DifficultyService({
      engine: { search: () => Promise.reject(new NotFoundError('card', 'gone')) },
      profiles: { chosen: async () => ({ name: 'default', description: null, settings: BUILTIN_SETTINGS }) },
      attempts: { log: async () => [] },
    });
    const viewer: Viewer = { tenantId: 'north', ownerId: 'tess', role: 'teacher' };
    await expect(service.difficulty(viewer, 'gone', new AbortController().signal)).rejects.toThrow(NotFoundError);
  });
});
