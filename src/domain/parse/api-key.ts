import { z } from 'zod';
import { type Caller, ROLES, SCOPES, type Scope } from '../viewer.js';
import { optional, parserOf } from './parse.js';
import { shortName, who, whole, withoutControls } from './scalars.js';

/** Ten years: nobody keeps track of a key for longer. */
export const MAX_DAYS = 3_653;

const DEFAULT_SCOPES: readonly Scope[] = ['read', 'write'];

const scopes = z
  .array(z.enum(SCOPES))
  .min(1, 'must name at least one')
  .transform((values) => SCOPES.filter((scope) => values.includes(scope)));

/** Its purpose: text of one line. */
export const keyName = withoutControls(shortName);

const wanted = z.strictObject({
  ownerId: who,
  role: z.enum(ROLES),
  scopes: optional(scopes, DEFAULT_SCOPES),
  name: optional(keyName, 'unnamed'),
  days: optional(whole(1, MAX_DAYS), 90),
});

/** A key that an admin asks for, within the admin's own school. */
export type WantedApiKey = Readonly<z.output<typeof wanted>>;

export const parseWantedApiKey = parserOf<WantedApiKey>(wanted);

export const parseApiKeyId = parserOf(
  z.string().regex(/^[0-9a-f]{16}$/, 'must be the id of a key: 16 hexadecimal digits'),
);

/** Identifies a person or a school: `amy` with a blank is somebody else, whom the issuer of tokens may have let in. */
const exactly = z
  .unknown()
  .refine((id) => typeof id !== 'string' || [id, ''].includes(id.trim()), 'must not begin or end with white space')
  .pipe(who);

const caller = z.object({
  tenantId: exactly,
  ownerId: exactly,
  role: z.enum(ROLES),
  scopes,
});

/** A caller as a token or a person at the command line names one. */
export const parseCaller = parserOf<Caller>(caller);
