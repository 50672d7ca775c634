import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import type { Caller, Role, Scope } from '../src/domain/viewer.js';

/** The roles as GraphQL names them. */
export const RoleEnum = { STUDENT: 'student', TEACHER: 'teacher', ADMIN: 'admin' } as const satisfies Record<
  Uppercase<Role>,
  Role
>;
registerEnumType(RoleEnum, {
  name: 'Role',
  description: 'What a viewer may see and change.',
  valuesConfig: {
    STUDENT: { description: 'Sees and changes their own cards.' },
    TEACHER: { description: 'Sees the cards of the school; keeps golden sets and search profiles.' },
    ADMIN: { description: 'Changes every card of the school, too.' },
  },
});

/** The scopes as GraphQL names them. */
export const ScopeEnum = { READ: 'read', WRITE: 'write', METRICS: 'metrics' } as const satisfies Record<
  Uppercase<Scope>,
  Scope
>;
registerEnumType(ScopeEnum, {
  name: 'Scope',
  description: 'What a credential is good for.',
  valuesConfig: {
    READ: { description: 'Queries and exports.' },
    WRITE: { description: 'Mutations and imports.' },
    METRICS: { description: "The gateway's own figures." },
  },
});

@ObjectType({ description: 'Who asks, by the credential of the request.' })
export class Viewer {
  @Field(() => ID, { description: 'Whose cards the viewer makes.' })
  readonly ownerId!: string;

  @Field(() => RoleEnum, { description: 'What the viewer may see and change.' })
  readonly role!: Role;

  @Field(() => [ScopeEnum], { description: 'What the credential is good for.' })
  readonly scopes!: Caller['scopes'];

  @Field(() => ID, { description: 'The school.' })
  readonly tenantId!: string;
}
