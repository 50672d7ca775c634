import { describe, expect, test } from 'vitest';
import type { SearchProfile } from '../../../src/domain/profile.js';
import { Profiles } from '../../../src/evaluation/profiles.js';
import { BUILTIN_SETTINGS, builtinProfiles } from '../../../src/search/profile.js';

const mine: SearchProfile = { name: 'mine', description: null, settings: { ...BUILTIN_SETTINGS, diversity: 1 } };

/** The profiles of a gateway whose SEARCH_PROFILE is `chosen`, where one tenant has saved `mine`. */
function profilesOf(chosen: string): Profiles {
  const unexpected = () => Promise.reject(new Error('unexpected'));
  return new Profiles(
    {
      find: async ({ tenantId }, name) => (tenantId === 'north' && name === 'mine' ? mine : null),
      names: async () => ['mine'],
      list: unexpected,
      save: unexpected,
      delete: unexpected,
    },
    builtinProfiles('builtin'),
    chosen,
  );
}

const viewerOf = (tenantId: string) => ({ tenantId, ownerId: 'anna', role: 'student' }) as const;

describe('the search profile of a gateway', () => {
  test.each(['default', 'plain-vectors', 'mine'])('may be %s', async (name) => {
    await profilesOf(name).refuseUnknownChoice();
  });

  test('that is unknown is refused with a list of the existing ones', async () => {
    await expect(profilesOf('mime').refuseUnknownChoice()).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringMatching(/not usable: SEARCH_PROFILE: .*"mime".*"default", "plain-vectors", "mine"/),
    });
  });

  test('applies to searches without one; a tenant without a profile of that name gets the default', async () => {
    expect(await profilesOf('mine').chosen(viewerOf('north'))).toBe(mine);
    expect(await profilesOf('mine').chosen(viewerOf('south'))).toMatchObject({ name: 'default' });
    expect(await profilesOf('plain-vectors').chosen(viewerOf('south'))).toMatchObject({ name: 'plain-vectors' });
  });
});
