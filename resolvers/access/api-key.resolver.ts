import { GraphQLDateTime } from 'graphql-scalars';
import { Arg, Ctx, Field, ID, InputType, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { parseApiKeyId, parseWantedApiKey, type WantedApiKey } from '../../src/domain/parse/api-key.js';
import { parsePage } from '../../src/domain/parse/page.js';
import { parseOwner } from '../../src/domain/parse/practice.js';
import type { ApiKey as Key } from '../../src/domain/ports/callers.js';
import type { Caller, Role, Scope, Viewer } from '../../src/domain/viewer.js';
import type { Context } from '../context.js';
import { RoleEnum, ScopeEnum } from './viewer.type.js';

@ObjectType({ description: 'An API key without its secret.', simpleResolvers: true })
export class ApiKey {
  @Field(() => ID, { description: 'The public part of the key.' })
  readonly id!: string;

  @Field(() => String, { description: 'Its purpose.' })
  readonly name!: string;

  @Field(() => ID, { description: 'The owner on whose behalf it is used.' })
  readonly ownerId!: string;

  @Field(() => RoleEnum, { description: 'The role of its holder.' })
  readonly role!: Role;

  @Field(() => [ScopeEnum], { description: 'Its scopes.' })
  readonly scopes!: readonly Scope[];

  @Field(() => GraphQLDateTime, { description: 'When it was created.' })
  readonly createdAt!: Date;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'When it was used last, to the minute; null: never.' })
  readonly lastUsedAt!: Date | null;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'When it expires; null: never.' })
  readonly expiresAt!: Date | null;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'When it was revoked; null if it was not.' })
  readonly revokedAt!: Date | null;
}

@ObjectType({ description: 'A new key with its secret, which is shown only once.', simpleResolvers: true })
class CreatedApiKey {
  @Field(() => ApiKey, { description: 'The key.' })
  readonly key!: ApiKey;

  @Field(() => String, { description: 'The secret, to be sent as `Authorization: Bearer ...`. It is not stored.' })
  readonly text!: string;
}

@InputType({ description: 'An API key to create for a member of your school.' })
export class CreateApiKeyInput {
  @Field(() => ID, { description: 'The owner of the cards: 1 to 200 characters, the id that your school uses.' })
  readonly ownerId!: string;

  @Field(() => RoleEnum, { description: 'The role of its holder.' })
  readonly role!: Role;

  @Field(() => [ScopeEnum], {
    nullable: true,
    defaultValue: ['read', 'write'],
    description: 'Its scopes; your own credential must have each of them.',
  })
  readonly scopes!: readonly Scope[] | null;

  @Field(() => String, {
    nullable: true,
    defaultValue: 'unnamed',
    description: 'Its purpose: 1 to 100 characters.',
  })
  readonly name!: string | null;

  @Field(() => Int, { nullable: true, defaultValue: 90, description: 'Days until it expires, from 1 to 3653.' })
  readonly days!: number | null;
}

/** The keys of a school. */
export interface ApiKeys {
  list(viewer: Viewer, ownerId: string | null, first: number): Promise<readonly Key[]>;
  create(caller: Caller, wanted: WantedApiKey): Promise<{ readonly key: Key; readonly text: string }>;
  revoke(viewer: Viewer, id: string): Promise<boolean>;
}

/** For admins: `guard.ts` refuses everybody else. */
@Resolver()
export class ApiKeyResolver {
  constructor(private readonly keys: ApiKeys) {}

  @Query(() => [ApiKey], { description: 'The API keys of the school, newest first; for admins.' })
  apiKeys(
    @Arg('first', () => Int, { nullable: true, defaultValue: 50, description: 'Maximum number, from 1 to 100.' })
    first: number | null,
    @Arg('owner', () => ID, { nullable: true, description: 'Only keys of this owner; by default of all.' })
    owner: string | null,
    @Ctx() { viewer }: Context,
  ): Promise<readonly Key[]> {
    return this.keys.list(viewer, parseOwner(owner, 'owner'), parsePage({ first }).first);
  }

  @Mutation(() => CreatedApiKey, {
    description:
      'Creates an API key for a member of the school; for admins. FORBIDDEN if the gateway does not accept API keys.',
  })
  createApiKey(
    @Arg('input', () => CreateApiKeyInput, { description: 'The key.' }) input: CreateApiKeyInput,
    @Ctx() { viewer }: Context,
  ): Promise<{ readonly key: Key; readonly text: string }> {
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
