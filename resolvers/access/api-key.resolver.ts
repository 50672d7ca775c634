import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import { parseApiKeyId, parseWantedApiKey, type WantedApiKey } from '../../src/domain/parse/api-key.js';
import { parsePage } from '../../src/domain/parse/page.js';
import { parseOwner } from '../../src/domain/parse/practice.js';
import type { ApiKey as Key } from '../../src/domain/ports/callers.js';
import type { Caller, Viewer } from '../../src/domain/viewer.js';
import type { Context } from '../context.js';
import { ApiKey, CreateApiKeyInput, CreatedApiKey } from './api-key.type.js';

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
