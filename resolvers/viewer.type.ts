import { Field, ID, ObjectType } from 'type-graphql';
import type { Caller, Role, Scope } from '../src/domain/viewer.js';
import { graphqlEnum } from './graphql-enum.js';

export const RoleEnum = graphqlEnum<Role>('Role', 'What a viewer may see and change.', {
  student: 'Sees and changes their own cards.',
  teacher: 'Sees the cards of the school; keeps golden sets and search profiles.',
  admin: 'Changes every card of the school, too.',
});

export const ScopeEnum = graphqlEnum<Scope>('Scope', 'What a credential is good for.', {
  read: 'Queries and exports.',
  write: 'Mutations and imports.',
  metrics: "The gateway's own figures.",
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
