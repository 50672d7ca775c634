import { expect, test } from 'vitest';
import { movedWeight, NOTHING_ASKED, profileOf, tunedSettings, variablesOf } from '../../../studio/search/state.js';

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

test('the beginning of a formula is not searched for: the gateway would refuse it while it is typed', () => {
  for (const text of ['', ' ', '$', '$$', '$\\', '${']) {
    expect(variablesOf({ ...NOTHING_ASKED, text }, {}), text).toBe(null);
  }
  expect(variablesOf({ ...NOTHING_ASKED, text: '$x' }, {})).toMatchObject({ text: '$x' });
});

test('the last weight above 0 stays so, and a search is sent the weights that the sliders show', () => {
  const weights = { question: 0, solution: 0.4, concept: 0, error: 0 };
  expect(movedWeight(weights, 'solution', 0)).toEqual({ ...weights, solution: 0.05 });
  expect(movedWeight(weights, 'solution', 0.3)).toEqual({ ...weights, solution: 0.3 });
  const two = movedWeight(weights, 'error', 0.2);
  expect(movedWeight(two, 'solution', 0)).toEqual({ question: 0, solution: 0, concept: 0, error: 0.2 });
  const moved = movedWeight(weights, 'solution', 0);
  expect(variablesOf({ ...NOTHING_ASKED, text: 'sign error' }, { weights: moved })).toMatchObject({ weights: moved });
});
