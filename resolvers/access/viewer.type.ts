import { Field, ID, ObjectType } from 'type-graphql';
import type { Caller, Role, Scope } from '../../src/domain/viewer.js';
import { graphqlEnum } from '../graphql-enum.js';

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

@ObjectType({ description: 'The viewer, as identified by the credential of the request.' })
export class Viewer {
  @Field(() => ID, { description: 'The owner of the cards that the viewer creates.' })
  readonly ownerId!: string;

  @Field(() => RoleEnum, { description: 'The role of the viewer.' })
  readonly role!: Role;

  @Field(() => [ScopeEnum], { description: 'The scopes of the credential.' })
  readonly scopes!: Caller['scopes'];

  @Field(() => ID, { description: 'The school.' })
  readonly tenantId!: string;
}
