import { describe, expect, test } from 'vitest';
import { Background, Foreground, type TakeTurn } from '../../../src/domain/background.js';
import { BadInputError, NotFoundError, UnavailableError } from '../../../src/domain/errors.js';
import type { GoldenCase } from '../../../src/domain/golden.js';
import type { SearchReceipt } from '../../../src/domain/search-result.js';
import { yieldTurn } from '../../../src/domain/steps.js';
import { Evaluator, type EvaluatorParts } from '../../../src/evaluation/evaluator.js';
import { BUILTIN_SETTINGS } from '../../../src/search/profile.js';
import type { Rescorer } from '../../../src/search/rescoring.js';
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

const profile = { name: 'default', description: null, settings: BUILTIN_SETTINGS };

const receipt = { degraded: [], embeddingModel: 'builtin', tookMs: 1 } as unknown as SearchReceipt;

/** An evaluator whose every search is answered by `search`, which finds nothing where it returns. */
function evaluatorOf(
  search: (text: string) => Promise<void>,
  takeTurn: TakeTurn = async (step) => step(),
  over: Partial<EvaluatorParts> = {},
) {
  const found = { byLane: () => [], cardIds: [], filtersOut: () => false, byRequest: () => [], narrowed: () => found };
  return new Evaluator({
    engine: {
      search: async (_viewer, { subject }) => {
        await search(subject.kind === 'text' ? subject.text : '');
        return { hits: [], hasMore: false, receipt };
      },
    },
    rescorers: { rescorer: async () => found },
    cards: { byIds: async () => new Map() },
    ledger: {
      versions: async () => new Map([['right', { revision: 1, updatedAtMs: 0 }]]),
      cards: async () => new Map([['right', card]]),
    },
    words: (text) => [text],
    takeTurn,
    pause: yieldTurn,
    statistics: { summary: async () => ({ rankings: [], contests: [], comparison: null }) },
    ...over,
  });
}

describe('an evaluation', () => {
  test('starts no search after one has failed, and ends after the running ones', async () => {
    const searched: string[] = [];
    let underWay = 0;
    const evaluator = evaluatorOf(async (text) => {
      searched.push(text);
      underWay += 1;
      for (let turn = 0; turn < (text === '0' ? 1 : 5); turn += 1) await new Promise(setImmediate);
      underWay -= 1;
      throw new UnavailableError('chroma', `it is away for ${text}`);
    });
    const request = { set: 'set', cases, profile, against: null, k: 10 };
    const { signal } = new AbortController();
    await expect(evaluator.evaluate(viewer, request, () => undefined, signal)).rejects.toThrow('it is away for 0');
    expect(searched).toEqual(['0', '1']);
    expect(underWay).toBe(0);
  });

  test('of cases whose cards are all gone fails and names the set', async () => {
    const gone = cases.map((one) => ({ ...one, judgements: [{ cardId: 'gone', grade: 1 as const, reason: null }] }));
    const request = { set: 'set', cases: gone, profile, against: null, k: 10 };
    const { signal } = new AbortController();
    const evaluating = evaluatorOf(async () => undefined).evaluate(viewer, request, () => undefined, signal);
    await expect(evaluating).rejects.toThrow('set: has no case whose cards are in the notebook');
  });

  test('skips the cases whose query has nothing to search for, or was deleted just before its search', async () => {
    const empty: Readonly<Record<string, string>> = { 3: 'text', 7: 'cardId' };
    const evaluator = evaluatorOf(async (text) => {
      if (text === '9') throw new NotFoundError('card', text);
      const field = empty[text];
      if (field !== undefined) throw new BadInputError(field, 'has nothing to search for');
    });
    const request = { set: 'set', cases, profile, against: null, k: 10 };
    const report = await evaluator.evaluate(viewer, request, () => undefined, new AbortController().signal);
    expect(report).toMatchObject({ cases: 17, skippedCases: 3 });
    const evaluating = evaluatorOf(async () => {
      throw new BadInputError('profile', 'is unknown');
    }).evaluate(viewer, request, () => undefined, new AbortController().signal);
    await expect(evaluating).rejects.toThrow('profile: is unknown');
  });

  test('names the cases whose filter leaves out every relevant card, and does not count them as zero', async () => {
    const judgements = ['right', 'left'].map((cardId) => ({ cardId, grade: 1 as const, reason: null }));
    const rescorerOf = (outside: readonly string[]): Rescorer => {
      const filtersOut = (cardId: string): boolean => outside.includes(cardId);
      return { byLane: () => [], cardIds: [], filtersOut, byRequest: () => [], narrowed: () => rescorerOf(outside) };
    };
    const outside: Readonly<Record<string, readonly string[]>> = { 1: ['right', 'left'], 2: ['left'] };
    const evaluator = evaluatorOf(async () => undefined, undefined, {
      rescorers: {
        rescorer: async (_viewer, { subject }) =>
          rescorerOf((subject.kind === 'text' ? outside[subject.text] : undefined) ?? []),
      },
      ledger: {
        versions: async () => new Map(['right', 'left'].map((id) => [id, { revision: 1, updatedAtMs: 0 }])),
        cards: async () => new Map(['right', 'left'].map((id) => [id, { ...card, id }])),
      },
    });
    const request = { set: 'set', cases: cases.map((one) => ({ ...one, judgements })), profile, against: null, k: 10 };
    const report = await evaluator.evaluate(viewer, request, () => undefined, new AbortController().signal);
    expect(report).toMatchObject({ cases: 19, skippedCases: 1, filteredCases: [{ id: '1', text: '1' }] });
  });

  test('takes turns with those of other schools, so that a small one does not wait for a large one', async () => {
    const takeTurn = new Background(new Foreground()).take;
    let underWay = 0;
    let most = 0;
    const search = async (): Promise<void> => {
      underWay += 1;
      most = Math.max(most, underWay);
      for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
      underWay -= 1;
    };
    const { signal } = new AbortController();
    let done = 0;
    const begin = (tenantId: string, of: readonly GoldenCase[], onProgress: (done: number) => void) =>
      evaluatorOf(search, takeTurn).evaluate(
        { ...viewer, tenantId },
        { set: 'set', cases: of, profile, against: null, k: 10 },
        onProgress,
        signal,
      );
    const large = begin('large', cases, (count) => {
      done = count;
    });
    await begin('small', cases.slice(0, 4), () => undefined);
    expect(done).toBeLessThan(cases.length / 2);
    await large;
    expect(most).toBe(1);
  });

  test('gives way to searches of clients while it reads the cards', async () => {
    const ids = ['right', 'left', 'third'];
    let pauses = 0;
    const evaluator = evaluatorOf(async () => undefined, undefined, {
      ledger: {
        versions: async () => new Map(ids.map((id) => [id, { revision: 1, updatedAtMs: 0 }])),
        cards: async () => new Map(ids.map((id) => [id, { ...card, id }])),
      },
      // Longer than a turn of the event loop may be.
      words: (text) => {
        const began = performance.now();
        while (performance.now() - began < 6);
        return [text];
      },
      pause: async () => {
        pauses += 1;
        return 5;
      },
    });
    const request = { set: 'set', cases: cases.slice(0, 1), profile, against: null, k: 10 };
    await evaluator.evaluate(viewer, request, () => undefined, new AbortController().signal);
    // More where the machine is so busy that other turns are as long.
    expect(pauses).toBeGreaterThanOrEqual(ids.length - 1);
  });
});
