import { z } from 'zod';
import { type Caller, ROLES, type Role, SCOPES, type Scope } from '../viewer.js';
import { parse } from './parse.js';
import { shortName, who, whole } from './scalars.js';

/** Ten years: nobody keeps track of a key for longer. */
const MAX_DAYS = 3_653;

const DEFAULT_SCOPES: readonly Scope[] = ['read', 'write'];

/** A key that an admin asks for, within the admin's own school. */
export interface WantedApiKey {
  readonly ownerId: string;
  readonly role: Role;
  readonly scopes: readonly Scope[];
  readonly name: string;
  readonly days: number;
}

const scopes = z
  .array(z.enum(SCOPES))
  .min(1, 'must name at least one')
  .transform((values) => SCOPES.filter((scope) => values.includes(scope)));

const wanted = z.strictObject({
  ownerId: who,
  role: z.enum(ROLES),
  scopes: scopes.nullish().transform((given) => given ?? DEFAULT_SCOPES),
  name: shortName.nullish().transform((given) => given ?? 'unnamed'),
  days: whole(1, MAX_DAYS)
    .nullish()
    .transform((given) => given ?? 90),
});

/** BadInputError. */
export function parseWantedApiKey(value: unknown, field: string): WantedApiKey {
  return parse(wanted, value, field);
}

/** BadInputError. */
export function parseApiKeyId(value: unknown, field: string): string {
  return parse(z.string().regex(/^[0-9a-f]{16}$/, 'must be the id of a key: 16 hexadecimal digits'), value, field);
}

const caller = z.object({
  tenantId: who,
  ownerId: who,
  role: z.enum(ROLES),
  scopes,
});

/** A caller as a token or a person at the command line names one. BadInputError. */
export function parseCaller(value: unknown): Caller {
  return parse(caller, value, '');
}
