import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { among, memoryWorld, stored } from '../../../bench/memory-engine.js';
import type { Card, NewCard } from '../../../src/domain/card.js';
import { BadInputError } from '../../../src/domain/errors.js';
import { parseNewCard } from '../../../src/domain/parse/card.js';
import { type LearnedOperation, type LearnedProfile } from '../../../src/domain/profile.js';
import { DEFAULT_VIEWER, type Viewer } from '../../../src/domain/viewer.js';
import { LearnedProfiles } from '../../../src/evaluation/learning/learned-profiles.js';
import { isBetter, LEAST_QUERIES, Learner } from '../../../src/evaluation/learning/learner.js';
import { isDue, LearningLoop, type LearningLoopParts } from '../../../src/evaluation/learning/learning-loop.js';
import { gradesByLabels, type LabelledCards } from '../../../src/evaluation/learning/notebook-queries.js';
import { Profiles } from '../../../src/evaluation/profiles.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { BUILTIN_SETTINGS, builtinProfiles, requestBy, searchSettings } from '../../../src/search/profile.js';
import { cardOf } from '../../support/generators.js';

const { signal } = new AbortController();
const teacher: Viewer = { tenantId: 'north', ownerId: 'tess', role: 'teacher' };
const student: Viewer = { ...teacher, ownerId: 'ben', role: 'student' };

const hybrid: LearnedOperation = {
  operation: 'hybridSearch',
  settings: { ...BUILTIN_SETTINGS, lexicalShare: 1 },
  used: true,
  trainingQueries: 50,
  heldOutQueries: 50,
  byDefault: { ndcgAt10: 0.3, mrr: 0.4 },
  learned: { ndcgAt10: 0.35, mrr: 0.45 },
};
const profile: LearnedProfile = {
  model: 'builtin',
  labelledCards: 200,
  learnedAt: new Date(0),
  operations: [hybrid, { ...hybrid, operation: 'byError', used: false }],
};

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
      trials: engine,
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
    const trial = await engine.trial(DEFAULT_VIEWER, request, signal);
    expect(trial.cardIds).not.toContain('c0');
    expect(trial.cardIds).toHaveLength(cards.length - 1);
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
          return [...open];
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

describe('the learned profile of a notebook', () => {
  const found = { find: async ({ tenantId }: Viewer) => (tenantId === 'north' ? profile : null) };
  const profilesOf = (model: string, chosen = 'default'): Profiles => {
    const source = new LearnedProfiles({ store: found, model, log: { warn: () => undefined } });
    const none = { find: async () => null, names: async () => [], list: async () => [] };
    const unexpected = () => Promise.reject(new Error('unexpected'));
    const store = { ...none, save: unexpected, delete: unexpected };
    return new Profiles(store, builtinProfiles('builtin'), chosen, source);
  };
  const usedBy = async (profiles: Profiles, viewer: Viewer, operation: 'hybridSearch' | 'byError', given = {}) =>
    searchSettings(operation, await profiles.chosen(viewer), given).profile;

  test('is that of searches by text where it is used, and a client that says weights of its own gets none of it', async () => {
    const profiles = profilesOf('builtin');
    expect(searchSettings('hybridSearch', await profiles.chosen(teacher), {})).toMatchObject({
      profile: 'learned',
      lexicalShare: 1,
    });
    expect(await usedBy(profiles, teacher, 'byError')).toBe('default');
    expect(await usedBy(profiles, teacher, 'hybridSearch', { cardId: 'c1' })).toBe('default');
    expect(await usedBy(profiles, teacher, 'hybridSearch', { weights: { question: 1 } })).toBe('default');
    expect(await usedBy(profiles, teacher, 'hybridSearch', { options: { lexicalShare: 0.5 } })).toBe('default');
    expect(await usedBy(profiles, teacher, 'hybridSearch', { options: { fusion: 'RRF' } })).toBe('default');
    expect(await usedBy(profiles, teacher, 'hybridSearch', { options: { avoid: { error: 1 } } })).toBe('default');
    expect(await usedBy(profiles, teacher, 'hybridSearch', { options: { avoid: { error: 0 } } })).toBe('learned');
    expect(await usedBy(profiles, teacher, 'hybridSearch', { options: { rerank: true } })).toBe('learned');
    expect((await profiles.named(teacher, 'default', 'profile')).learned).toBeUndefined();
  });

  test('is not that of students, of other tenants, with another model, or where the operator has chosen a profile', async () => {
    expect(await usedBy(profilesOf('builtin'), student, 'hybridSearch')).toBe('default');
    expect(await usedBy(profilesOf('builtin'), { ...teacher, tenantId: 'south' }, 'hybridSearch')).toBe('default');
    expect(await usedBy(profilesOf('openai:other'), teacher, 'hybridSearch')).toBe('default');
    expect(await usedBy(profilesOf('builtin', 'plain-vectors'), teacher, 'hybridSearch')).toBe('plain-vectors');
  });

  test('is listed with its figures, is found by its name, and is nobody else to save', async () => {
    const profiles = profilesOf('builtin');
    const listed = await profiles.list(teacher);
    expect(listed.map(({ name }) => name)).toEqual(['default', 'plain-vectors', 'learned']);
    expect(listed[2]?.description).toMatch(
      /200 labelled cards.*hybridSearch used \(nDCG@10 \.300 to \.350.*byError not used/,
    );
    expect(listed[2]?.settings).toBe(hybrid.settings);
    const named = await profiles.named(teacher, 'learned', 'profile');
    expect(searchSettings('hybridSearch', named, {}).lexicalShare).toBe(1);
    await expect(profiles.named(student, 'learned', 'profile')).rejects.toThrow(BadInputError);
    const mine = { name: 'learned', description: null, settings: BUILTIN_SETTINGS };
    await expect(profiles.save(teacher, mine)).rejects.toThrow(/learned from the notebook/);
  });

  test('is read again after ten seconds, while searches go on with the one that is known', async () => {
    let nowMs = 0;
    let reads = 0;
    let fails = false;
    const find = async (): Promise<LearnedProfile> => {
      reads += 1;
      if (fails) throw new Error('unavailable');
      return { ...profile, labelledCards: reads };
    };
    const source = new LearnedProfiles(
      { store: { find }, model: 'builtin', log: { warn: () => undefined } },
      () => nowMs,
    );
    const cardsOf = async (): Promise<number | undefined> => (await source.of(teacher))?.labelledCards;
    expect(await cardsOf()).toBe(1);
    nowMs = 10_000;
    expect(await cardsOf()).toBe(1);
    nowMs = 10_001;
    expect(await cardsOf()).toBe(1);
    expect(await cardsOf()).toBe(2);
    fails = true;
    nowMs = 30_000;
    expect(await cardsOf()).toBe(2);
    expect(await cardsOf()).toBe(2);
    expect(reads).toBe(3);
    source.forget('north');
    await expect(cardsOf()).rejects.toThrow('unavailable');
  });
});

function indexOf(cards: readonly (Partial<Card> & { readonly id: string })[]): LabelledCards {
  const index = new LexicalIndex((text) => text.split(' '));
  for (const card of cards) index.set(cardOf(card));
  return index;
}
