import type { Fields } from './fields.js';

/** Accepted tokens (JWT). */
export interface TokenSettings {
  readonly key: { readonly kind: 'secret'; readonly secret: string } | { readonly kind: 'jwks'; readonly url: string };
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
  /** Maximum age of a token, whatever its expiry. */
  readonly maxAgeHours: number;
  /** The claims that name the tenant and the role; the owner is `sub`. */
  readonly tenantClaim: string;
  readonly roleClaim: string;
}

/** Accepted credentials, at least one kind. */
export interface AuthSettings {
  readonly apiKeys: boolean;
  readonly tokens: TokenSettings | null;
}

/** Signature algorithms by kind of key. Using a public key as an HMAC secret is the classic forgery. */
export const ALGORITHMS = {
  secret: ['HS256', 'HS384', 'HS512'],
  jwks: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
} as const;

/** Algorithms accepted by default. */
const USUAL_ALGORITHMS = { secret: ['HS256'], jwks: ['RS256', 'ES256', 'EdDSA'] } as const;

/** Null without authentication. */
export function authOf(data: Fields): AuthSettings | null {
  const key = keyOf(data.JWT_SECRET, data.JWT_JWKS_URL);
  if (key === null) return data.API_KEYS ? { apiKeys: true, tokens: null } : null;
  return {
    apiKeys: data.API_KEYS,
    tokens: {
      key,
      issuer: data.JWT_ISSUER ?? '',
      audience: data.JWT_AUDIENCE ?? '',
      algorithms: data.JWT_ALGORITHMS ?? USUAL_ALGORITHMS[key.kind],
      maxAgeHours: data.JWT_MAX_AGE_HOURS,
      tenantClaim: data.JWT_TENANT_CLAIM,
      roleClaim: data.JWT_ROLE_CLAIM,
    },
  };
}

function keyOf(secret: string | undefined, url: string | undefined): TokenSettings['key'] | null {
  if (secret !== undefined) return { kind: 'secret', secret };
  return url === undefined ? null : { kind: 'jwks', url };
}
