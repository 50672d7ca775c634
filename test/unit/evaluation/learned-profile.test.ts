import { describe, expect, test } from 'vitest';
import { BadInputError } from '../../../src/domain/errors.js';
import { type LearnedProfile } from '../../../src/domain/profile.js';
import { type Viewer } from '../../../src/domain/viewer.js';
import { LearnedProfiles } from '../../../src/evaluation/learning/learned-profiles.js';
import { Profiles } from '../../../src/evaluation/profiles.js';
import { BUILTIN_SETTINGS, builtinProfiles, searchSettings } from '../../../src/search/profile.js';
import { hybrid, profile } from './learning-examples.js';

const teacher: Viewer = { tenantId: 'north', ownerId: 'tess', role: 'teacher' };
const student: Viewer = { ...teacher, ownerId: 'ben', role: 'student' };

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
      defaultWeights: true,
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

  test('is listed with its figures, is found by its name, and its name is reserved', async () => {
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
