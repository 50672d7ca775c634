import { expect, onTestFinished, test, vi } from 'vitest';
import { byPerspective } from '../../../../src/domain/perspective.js';
import type { VectorStore } from '../../../../src/domain/ports/collections.js';
import { failureLog } from '../../../../src/search/retrievers/chroma.js';
import { unit } from '../../../support/generators.js';
import { candidatesBy, generation, queryOf } from '../retrieve-world.js';

test('a lane that fails in every search is logged once in ten seconds, with the number of other searches', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const logged: object[] = [];
  const onFailure = failureLog({ warn: (facts) => void logged.push(facts) });
  const err = new Error('no answer');
  for (let search = 0; search < 50; search++) {
    for (const part of ['dense question', 'dense error']) onFailure(part, err);
    vi.advanceTimersByTime(250);
  }
  const line = (part: string, omitted: number, sinceMs: number | null) => ({ err, part, omitted, sinceMs });
  expect(logged).toEqual([
    line('dense question', 0, null),
    line('dense error', 0, null),
    line('dense question', 39, 10_000),
    line('dense error', 39, 10_000),
  ]);
});

test.each([
  ['Chroma', true, [1, 1, 1]],
  ['PostgreSQL, which would read all vectors for each passage,', false, [3]],
] as const)('asks %s with so many passages at a time', async (_name, inChroma, expected) => {
  const asked: number[] = [];
  const reader: Pick<VectorStore, 'nearest'> = {
    nearest: async (_key, vectors) => {
      asked.push(vectors.length);
      return vectors.map(() => [{ cardId: 'a', similarity: 0.5 }]);
    },
  };
  const passages = [unit([1, 0]), unit([0, 1]), unit([1, 1])];
  const query = queryOf(byPerspective((perspective) => (perspective === 'question' ? passages : [])));
  const { cardIds } = await candidatesBy(reader, { query, generation: { ...generation, inChroma } });
  expect({ cardIds, asked }).toEqual({ cardIds: ['a'], asked: expected });
});
