import { expect, test } from 'vitest';
import { profileOf, tunedSettings } from '../../../studio/search/state.js';

test('the sliders begin at the profile that the gateway used, until one is chosen', () => {
  expect(profileOf({}, undefined)).toBe('default');
  expect(profileOf({}, { profile: 'learned' })).toBe('learned');
  expect(profileOf({ profile: 'plain-vectors' }, { profile: 'learned' })).toBe('plain-vectors');
});

test('tuned settings keep what no slider changes, and have nothing that is no setting of a profile', () => {
  const base = {
    diversity: 0,
    expandWith: null,
    fusion: 'WEIGHTED',
    inferredWeight: 0,
    lexicalShare: 0.4,
    minResults: 1,
    profilePower: 6,
    thresholdSteps: [0],
    voteShare: 0,
    weights: { question: 1, solution: 0, concept: 0, error: 0 },
  } as const;
  const tuning = { profile: 'plain-vectors', lexicalShare: 0, expand: false, preferQuality: true };
  expect(tunedSettings(base, tuning)).toEqual({ ...base, lexicalShare: 0 });
});
