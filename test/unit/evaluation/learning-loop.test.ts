import { describe, expect, test } from 'vitest';
import { type LearnedProfile } from '../../../src/domain/profile.js';
import { isDue, LearningLoop, type LearningLoopParts } from '../../../src/evaluation/learning/learning-loop.js';
import { hybrid, indexOf, profile } from './learning-examples.js';

const { signal } = new AbortController();

describe('the loop that learns', () => {
  /** A loop over tenants whose notebooks have as many labelled cards, and what it did. */
  function loopOver(labelled: Readonly<Record<string, number>>, others: Partial<LearningLoopParts['store']> = {}) {
    const open = Object.keys(labelled);
    const saved = new Map<string, LearnedProfile>();
    const learned: string[] = [];
    const loaded: string[] = [];
    const released: string[] = [];
    const pending = new Map<string, number>();
    const loop = new LearningLoop({
      store: {
        find: async ({ tenantId }) => saved.get(tenantId) ?? null,
        claim: async () => true,
        release: async (tenantId) => void released.push(tenantId),
        save: async (tenantId, given) => void saved.set(tenantId, { ...given, learnedAt: new Date(0) }),
        ...others,
      },
      tenants: {
        get open() {
          return new Map(open.map((tenantId) => [tenantId, null]));
        },
        load: async (tenantId) => {
          loaded.push(tenantId);
          return indexOf(
            Array.from({ length: labelled[tenantId] ?? 0 }, (_, n) => ({ id: `c${n}`, topicTags: ['a'] })),
          );
        },
      },
      learner: {
        learn: async ({ tenantId }) => {
          if (tenantId === 'broken') throw new Error('unavailable');
          learned.push(tenantId);
          return [hybrid];
        },
      },
      ledger: {
        counts: async ({ tenantId }) => ({
          ...{ cards: labelled[tenantId] ?? 0, indexed: 0, failed: 0 },
          pending: pending.get(tenantId) ?? 0,
        }),
      },
      model: 'builtin',
      onLearned: () => undefined,
      log: { info: () => undefined, warn: () => undefined },
    });
    return { loop, open, saved, learned, loaded, released, pending };
  }

  test('learns each notebook that is large enough once, one after the other, also after one that fails', async () => {
    const { loop, saved, learned, released } = loopOver({ small: 119, broken: 200, north: 120, south: 300 });
    await loop.pass(signal);
    expect([learned, released]).toEqual([['north', 'south'], ['broken']]);
    await loop.pass(signal);
    expect(learned).toEqual(['north', 'south']);
    expect(saved.get('south')).toMatchObject({ model: 'builtin', labelledCards: 300, operations: [hybrid] });
  });

  test('leaves a notebook that is being imported to a later pass', async () => {
    const { loop, learned, pending } = loopOver({ north: 200, south: 200 });
    pending.set('north', 5).set('south', 4);
    await loop.pass(signal);
    expect(learned).toEqual(['south']);
    pending.set('north', 0);
    await loop.pass(signal);
    expect(learned).toEqual(['south', 'north']);
  });

  test('does not load a notebook that has left memory meanwhile', async () => {
    const { loop, open, loaded } = loopOver(
      { north: 200, south: 200 },
      { save: async () => void open.splice(open.indexOf('south'), 1) },
    );
    await loop.pass(signal);
    expect(loaded).toEqual(['north']);
  });

  test('leaves a notebook to the gateway that has reserved it', async () => {
    const { loop, learned } = loopOver({ north: 200 }, { claim: async () => false });
    await loop.pass(signal);
    expect(learned).toEqual([]);
  });

  test('learns again when the notebook has grown by a fifth, and with another embedding model', () => {
    expect(isDue(239, profile, 'builtin')).toBe(false);
    expect(isDue(240, profile, 'builtin')).toBe(true);
    expect(isDue(200, profile, 'openai:other')).toBe(true);
    expect(isDue(200, null, 'builtin')).toBe(true);
  });
});
