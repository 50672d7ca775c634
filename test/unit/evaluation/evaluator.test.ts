import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../../../src/domain/errors.js';
import type { GoldenCase } from '../../../src/domain/golden.js';
import { Evaluator } from '../../../src/evaluation/evaluator.js';
import { BUILTIN_SETTINGS, requestBy } from '../../../src/search/profile.js';
import { cardOf } from '../../support/generators.js';

const viewer = { tenantId: 'school', ownerId: 'anna', role: 'teacher' } as const;
const card = cardOf({ id: 'right' });

const cases = Array.from(
  { length: 20 },
  (_, place): GoldenCase => ({
    id: `${place}`,
    operation: 'hybridSearch',
    subject: { kind: 'text', text: `${place}` },
    filter: {},
    perspective: null,
    judgements: [{ cardId: 'right', grade: 1, reason: null }],
    reason: null,
  }),
);

describe('an evaluation', () => {
  test('searches no more once a search has failed, and ends only when none is under way', async () => {
    const searched: string[] = [];
    let underWay = 0;
    const evaluator = new Evaluator({
      engine: {
        search: async (_viewer, { subject }) => {
          const text = subject.kind === 'text' ? subject.text : '';
          searched.push(text);
          underWay += 1;
          for (let turn = 0; turn < (text === '0' ? 1 : 5); turn += 1) await new Promise(setImmediate);
          underWay -= 1;
          throw new UnavailableError('chroma', `it is away for ${text}`);
        },
      },
      trials: { trial: () => Promise.reject(new Error('no search was answered')) },
      cards: { byIds: async () => new Map() },
      ledger: {
        versions: async () => new Map([['right', { revision: 1, updatedAtMs: 0 }]]),
        cards: async () => new Map([['right', card]]),
      },
      requestOf: requestBy,
      words: (text) => [text],
      breathe: async () => undefined,
    });
    const profile = { name: 'default', description: null, settings: BUILTIN_SETTINGS };
    const request = { set: 'set', cases, profile, against: null, k: 10 };
    const { signal } = new AbortController();
    await expect(evaluator.evaluate(viewer, request, () => undefined, signal)).rejects.toThrow('it is away for 0');
    expect(searched).toEqual(['0', '1']);
    expect(underWay).toBe(0);
  });
});
