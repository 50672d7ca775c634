import { Arg, Ctx, Mutation, Query, Resolver, UseMiddleware } from 'type-graphql';
import { parseName } from '../../src/domain/parse/golden.js';
import { parseProfile } from '../../src/domain/parse/profile.js';
import type { SearchProfiles } from '../../src/domain/ports/evaluation.js';
import type { SearchProfile as Profile } from '../../src/domain/profile.js';
import type { ProfileSettings } from '../../src/domain/search.js';
import type { Context } from '../context.js';
import { forStaff } from '../requests/guard.js';
import { SearchProfile, SearchProfileInput } from './profile.type.js';

@Resolver()
export class ProfileResolver {
  constructor(
    private readonly profiles: SearchProfiles,
    private readonly defaults: ProfileSettings,
  ) {}

  @Query(() => [SearchProfile], {
    description:
      'The search profiles: built-in ones, the learned one if there is one (not for students), then those of the tenant by name.',
  })
  searchProfiles(@Ctx() { viewer }: Context): Promise<readonly Profile[]> {
    return this.profiles.list(viewer);
  }

  @UseMiddleware(forStaff)
  @Mutation(() => SearchProfile, { description: 'Creates a search profile, or replaces the one with this name.' })
  saveSearchProfile(
    @Arg('input', () => SearchProfileInput, { description: 'The profile.' }) input: object,
    @Ctx() { viewer }: Context,
  ): Promise<Profile> {
    return this.profiles.save(viewer, parseProfile(input, 'input', this.defaults));
  }

  @UseMiddleware(forStaff)
  @Mutation(() => Boolean, { description: 'Deletes a search profile. False if there was none of this name.' })
  deleteSearchProfile(
    @Arg('name', () => String, { description: 'The name of the profile.' }) name: string,
    @Ctx() { viewer }: Context,
  ): Promise<boolean> {
    return this.profiles.delete(viewer, parseName(name, 'name'));
  }
}
