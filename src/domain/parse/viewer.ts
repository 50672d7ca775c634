import { z } from 'zod';
import { type Caller, ROLES, SCOPES } from '../viewer.js';
import { parse } from './parse.js';
import { name } from './scalars.js';

/** Whoever issues tokens names tenants and owners: `auth0|6f1c`, `school-7`, an e-mail address. */
export const who = name(200).refine((text) => !/\p{Cc}/u.test(text), 'must not hold a control character');

const caller = z.object({
  tenantId: who,
  ownerId: who,
  role: z.enum(ROLES),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1, 'must name at least one')
    .transform((values) => SCOPES.filter((scope) => values.includes(scope))),
});

/** A caller as a token or a person at the command line names one. BadInputError. */
export function parseCaller(value: unknown): Caller {
  return parse(caller, value, '');
}
