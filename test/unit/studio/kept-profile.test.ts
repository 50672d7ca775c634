import { expect, test } from 'vitest';
import { keptProfile } from '../../../studio/search/state.js';

test('a slider that is moved changes nothing else: the search keeps the profile that it used', () => {
  const used = { profile: 'learned' };
  expect(keptProfile({ lexicalShare: 0.3 }, used)).toEqual({ lexicalShare: 0.3, profile: 'learned' });
  expect(keptProfile({ lexicalShare: 0.3, profile: 'mine' }, used)).toEqual({ lexicalShare: 0.3, profile: 'mine' });
  // A reset leaves the choice to the gateway again.
  expect(keptProfile({}, used)).toEqual({});
  // Nothing was searched for yet.
  expect(keptProfile({ lexicalShare: 0.3 }, undefined)).toEqual({ lexicalShare: 0.3 });
});
