import { z } from 'zod';

/** Which tokens (JWT) name a caller. */
export interface TokenSettings {
  readonly key: { readonly kind: 'secret'; readonly secret: string } | { readonly kind: 'jwks'; readonly url: string };
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
  /** A token that was issued longer ago is refused, whatever it says itself. */
  readonly maxAgeHours: number;
  /** The claims that name the tenant and the role; the owner is `sub`. */
  readonly tenantClaim: string;
  readonly roleClaim: string;
}

/** Which credentials are taken, at least one kind. */
export interface AuthSettings {
  readonly apiKeys: boolean;
  readonly tokens: TokenSettings | null;
}

/** HMAC with SHA-256 wants a key as long as its hash (RFC 7518, 3.2); a shorter one can be found by trying. */
const LEAST_SECRET_BYTES = 32;

/** What a shared secret and what a pair of keys can sign with. A secret taken for a public key is the classic forgery. */
const ALGORITHMS = {
  secret: ['HS256', 'HS384', 'HS512'],
  jwks: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
} as const;

/** What issuers sign with unless told otherwise. */
const USUAL_ALGORITHMS = { secret: ['HS256'], jwks: ['RS256', 'ES256', 'EdDSA'] } as const;

/** `true` or `false`, as the environment says it. */
export const flag = z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1');

/** Words between commas. */
export const list = z
  .string()
  .transform((text) => text.split(',').map((word) => word.trim()))
  .refine((words) => words.every((word) => word !== ''), 'must be words with commas between them');

/** Keys that are fetched over a network in the clear could be anybody's. */
function isTrustworthy(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));
}

const given = z.object({
  API_KEYS: flag.default(false),
  JWT_SECRET: z
    .string()
    .refine(
      (secret) => Buffer.byteLength(secret) >= LEAST_SECRET_BYTES,
      `must have ${LEAST_SECRET_BYTES} bytes or more`,
    )
    .optional(),
  JWT_JWKS_URL: z.string().refine(isTrustworthy, 'must be a URL that starts with https://').optional(),
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: z.string().optional(),
  JWT_ALGORITHMS: list.optional(),
  JWT_MAX_AGE_HOURS: z
    .string()
    .regex(/^\d{1,4}$/, 'must be a number of hours')
    .transform(Number)
    .refine((hours) => hours > 0, 'must be 1 or more')
    .default(24),
  JWT_TENANT_CLAIM: z.string().default('tenant'),
  JWT_ROLE_CLAIM: z.string().default('role'),
});

/** The settings that say who is let in; null where none does. */
export const authSettings = given.transform((settings, context): AuthSettings | null => {
  const { API_KEYS: apiKeys, JWT_SECRET: secret, JWT_JWKS_URL: url } = settings;
  const refuse = (name: keyof typeof settings, message: string): void => {
    context.addIssue({ code: 'custom', path: [name], message });
  };
  if (secret !== undefined && url !== undefined) refuse('JWT_SECRET', 'must be left out where JWT_JWKS_URL is set');
  const key = keyOf(secret, url);
  const { JWT_ISSUER: issuer = '', JWT_AUDIENCE: audience = '', JWT_ALGORITHMS: algorithms } = settings;
  for (const name of ['JWT_ISSUER', 'JWT_AUDIENCE'] as const) {
    if (key !== null && settings[name] === undefined) refuse(name, 'is required where tokens are taken');
    if (key === null && settings[name] !== undefined) refuse(name, 'says nothing without JWT_SECRET or JWT_JWKS_URL');
  }
  if (key === null) return apiKeys ? { apiKeys, tokens: null } : null;
  const possible: readonly string[] = ALGORITHMS[key.kind];
  if (algorithms?.some((algorithm) => !possible.includes(algorithm))) {
    refuse('JWT_ALGORITHMS', `must be among ${possible.join(', ')}`);
  }
  return {
    apiKeys,
    tokens: {
      key,
      issuer,
      audience,
      algorithms: algorithms ?? USUAL_ALGORITHMS[key.kind],
      maxAgeHours: settings.JWT_MAX_AGE_HOURS,
      tenantClaim: settings.JWT_TENANT_CLAIM,
      roleClaim: settings.JWT_ROLE_CLAIM,
    },
  };
});

function keyOf(secret: string | undefined, url: string | undefined): TokenSettings['key'] | null {
  if (secret !== undefined) return { kind: 'secret', secret };
  return url === undefined ? null : { kind: 'jwks', url };
}
