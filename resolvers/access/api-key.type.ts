import { GraphQLDateTime } from 'graphql-scalars';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { Role, Scope } from '../../src/domain/viewer.js';
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
export class CreatedApiKey {
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
    defaultValue: ['read', 'write'],
    description: 'Its scopes; your own credential must have each of them.',
  })
  readonly scopes!: readonly Scope[];

  @Field(() => String, { defaultValue: 'unnamed', description: 'Its purpose: 1 to 100 characters.' })
  readonly name!: string;

  @Field(() => Int, { defaultValue: 90, description: 'Days until it expires, from 1 to 3653.' })
  readonly days!: number;
}
