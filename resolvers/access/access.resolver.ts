import { GraphQLDateTime } from 'graphql-scalars';
import { Arg, Args, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import { parseApiKeyId, parseWantedApiKey, type WantedApiKey } from '../../src/domain/parse/api-key.js';
import { parsePage } from '../../src/domain/parse/page.js';
import { parseOwner } from '../../src/domain/parse/practice.js';
import type { ApiKey as Key } from '../../src/domain/ports/callers.js';
import type { Caller, Viewer as DomainViewer, Role, Scope } from '../../src/domain/viewer.js';
import type { Context } from '../context.js';
import { argsType, field, graphqlEnum, inputType, nullable, outputType } from '../types.js';

const RoleEnum = graphqlEnum<Role>('Role', 'The rights of a viewer.', {
  student: 'Sees and changes their own cards.',
  teacher:
    'Sees the cards of the school, changes their own and creates cards for students; changes labels on all cards; manages golden sets, search profiles and student groups.',
  admin: 'Like TEACHER, and changes every card of the school.',
});

const ScopeEnum = graphqlEnum<Scope>('Scope', 'A right of a credential.', {
  read: 'Queries and exports.',
  write: 'Mutations and imports.',
  metrics: 'The metrics of the gateway.',
});

const Viewer = outputType<Caller>('Viewer', 'The viewer, as identified by the credential of the request.', {
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

const ApiKey = outputType<Key, 'tenantId'>('ApiKey', 'An API key without its secret.', {
  id: field(ID, 'The public part of the key.'),
  name: field(String, 'Its purpose.'),
  ownerId: field(ID, 'The owner on whose behalf it is used.'),
  role: field(RoleEnum, 'The role of its holder.'),
  scopes: field([ScopeEnum], 'Its scopes.'),
  createdAt: field(GraphQLDateTime, 'When it was created.'),
  lastUsedAt: nullable(GraphQLDateTime, 'When it was used last, to the minute; null: never.'),
  expiresAt: nullable(GraphQLDateTime, 'When it expires; null: never.'),
  revokedAt: nullable(GraphQLDateTime, 'When it was revoked; null if it was not.'),
});

const CreatedApiKey = outputType<CreatedKey>('CreatedApiKey', 'A new key with its secret, which is shown only once.', {
  key: field(ApiKey, 'The key.'),
  text: field(String, 'The secret, to be sent as `Authorization: Bearer ...`. It is not stored.'),
});

const CreateApiKeyInput = inputType('CreateApiKeyInput', 'An API key to create for a member of your school.', {
  ownerId: field(ID, 'The owner of the cards: 1 to 200 characters, the id that your school uses.'),
  role: field(RoleEnum, 'The role of its holder.'),
  scopes: nullable([ScopeEnum], 'Its scopes; your own credential must have each of them.', {
    defaultValue: ['read', 'write'],
  }),
  name: nullable(String, 'Its purpose: 1 to 100 characters.', { defaultValue: 'unnamed' }),
  days: nullable(Int, 'Days until it expires, from 1 to 3653.', { defaultValue: 90 }),
});

interface CreatedKey {
  readonly key: Key;
  readonly text: string;
}

export interface ApiKeys {
  list(viewer: DomainViewer, ownerId: string | null, first: number): Promise<readonly Key[]>;
  create(caller: Caller, wanted: WantedApiKey): Promise<CreatedKey>;
  revoke(viewer: DomainViewer, id: string): Promise<boolean>;
}

const ApiKeysArgs = argsType({
  first: nullable(Int, 'Maximum number, from 1 to 100.', { defaultValue: 50 }),
  owner: nullable(ID, 'Only keys of this owner; by default of all.'),
});

/** For admins: `guard.ts` refuses everybody else. */
@Resolver()
export class ApiKeyResolver {
  constructor(private readonly keys: ApiKeys) {}

  @Query(() => [ApiKey], { description: 'The API keys of the school, newest first; for admins.' })
  apiKeys(
    @Args(() => ApiKeysArgs) { first, owner }: InstanceType<typeof ApiKeysArgs>,
    @Ctx() { viewer }: Context,
  ): Promise<readonly Key[]> {
    return this.keys.list(viewer, parseOwner(owner, 'owner'), parsePage({ first }).first);
  }

  @Mutation(() => CreatedApiKey, {
    description:
      'Creates an API key for a member of the school; for admins. FORBIDDEN if the gateway does not accept API keys.',
  })
  createApiKey(
    @Arg('input', () => CreateApiKeyInput, { description: 'The key.' }) input: object,
    @Ctx() { viewer }: Context,
  ): Promise<CreatedKey> {
    return this.keys.create(viewer, parseWantedApiKey({ ...input }, 'input'));
  }

  @Mutation(() => Boolean, {
    description:
      'Revokes an API key of the school; for admins. Every gateway refuses it within 2 seconds. False if there is no such key.',
  })
  revokeApiKey(
    @Arg('id', () => ID, { description: 'The id of the key.' }) id: string,
    @Ctx() { viewer }: Context,
  ): Promise<boolean> {
    return this.keys.revoke(viewer, parseApiKeyId(id, 'id'));
  }
}
