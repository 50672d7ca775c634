import { Ctx, Query, Resolver } from 'type-graphql';
import type { Caller } from '../../src/domain/viewer.js';
import type { Context } from '../context.js';
import { Viewer } from './viewer.type.js';

@Resolver()
export class ViewerResolver {
  @Query(() => Viewer, {
    description: 'The viewer of the request. Without authentication, the only owner, as an admin.',
  })
  viewer(@Ctx() { viewer }: Context): Caller {
    return viewer;
  }
}
