import { GraphQLDateTime } from 'graphql-scalars';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { Role, Scope } from '../src/domain/viewer.js';
import { RoleEnum, ScopeEnum } from './viewer.type.js';

@ObjectType({ description: 'An API key without its secret.', simpleResolvers: true })
export class ApiKey {
  @Field(() => ID, { description: 'The public part of the key.' })
  readonly id!: string;

  @Field(() => String, { description: 'What it is for.' })
  readonly name!: string;

  @Field(() => ID, { description: 'Who asks with it.' })
  readonly ownerId!: string;

  @Field(() => RoleEnum, { description: 'What its holder may see and change.' })
  readonly role!: Role;

  @Field(() => [ScopeEnum], { description: 'What it is good for.' })
  readonly scopes!: readonly Scope[];

  @Field(() => GraphQLDateTime, { description: 'When it was made.' })
  readonly createdAt!: Date;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'When it was used last, to the minute; null: never.' })
  readonly lastUsedAt!: Date | null;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'When it expires; null: never.' })
  readonly expiresAt!: Date | null;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'When it was revoked; null while it was not.' })
  readonly revokedAt!: Date | null;
}

@ObjectType({ description: 'A new key, with the text that is shown this once.', simpleResolvers: true })
export class CreatedApiKey {
  @Field(() => ApiKey, { description: 'The key.' })
  readonly key!: ApiKey;

  @Field(() => String, { description: 'What its holder sends as `Authorization: Bearer ...`. It is not stored.' })
  readonly text!: string;
}

@InputType({ description: 'A key to make, for somebody of your school.' })
export class CreateApiKeyInput {
  @Field(() => ID, { description: 'Whose cards it is for: 1 to 200 characters, as your school names them.' })
  readonly ownerId!: string;

  @Field(() => RoleEnum, { description: 'What its holder may see and change.' })
  readonly role!: Role;

  @Field(() => [ScopeEnum], {
    defaultValue: ['read', 'write'],
    description: 'What it is good for; none that your own credential lacks.',
  })
  readonly scopes!: readonly Scope[];

  @Field(() => String, { defaultValue: 'unnamed', description: 'What it is for: 1 to 100 characters.' })
  readonly name!: string;

  @Field(() => Int, { defaultValue: 90, description: 'After how many days it expires, from 1 to 3653.' })
  readonly days!: number;
}
