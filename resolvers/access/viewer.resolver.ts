import { Ctx, ID, Query, Resolver } from 'type-graphql';
import type { Caller, Role, Scope } from '../../src/domain/viewer.js';
import type { Context } from '../context.js';
import { field, graphqlEnum, outputType } from '../types.js';

export const RoleEnum = graphqlEnum<Role>('Role', 'The rights of a viewer.', {
  student: 'Sees and changes their own cards.',
  teacher:
    'Sees the cards of the school, changes their own and creates cards for students; changes labels on all cards; manages golden sets, search profiles and student groups.',
  admin: 'Like TEACHER, and changes every card of the school.',
});

export const ScopeEnum = graphqlEnum<Scope>('Scope', 'A right of a credential.', {
  read: 'Queries and exports.',
  write: 'Mutations and imports.',
  metrics: 'The metrics of the gateway.',
});

export const Viewer = outputType<Caller>('Viewer', 'The viewer, as identified by the credential of the request.', {
  ownerId: field(ID, 'The owner of the cards that the viewer creates.'),
  role: field(RoleEnum, 'The role of the viewer.'),
  scopes: field([ScopeEnum], 'The scopes of the credential.'),
  tenantId: field(ID, 'The school.'),
});

@Resolver()
export class ViewerResolver {
  @Query(() => Viewer, {
    description: 'The viewer of the request. Without authentication, the only owner, as an admin.',
  })
  viewer(@Ctx() { viewer }: Context): Caller {
    return viewer;
  }
}
