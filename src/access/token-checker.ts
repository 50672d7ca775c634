import {
  createRemoteJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import type { TokenSettings } from '../config/access-settings.js';
import { asError, BadInputError, UnauthenticatedError, UnavailableError } from '../domain/errors.js';
import { parseCaller } from '../domain/parse/api-key.js';
import type { Log } from '../domain/ports/log.js';
import type { Caller } from '../domain/viewer.js';

const CLOCK_TOLERANCE_S = 5;

/** Timeout of fetching the issuer's keys, while a request waits. */
const KEYS_TIMEOUT_MS = 2_000;

/**
 * For how long the issuer's keys are used: a key that it removes is refused after that, and for so long it need not
 * answer.
 */
const KEYS_MAX_AGE_MS = 600_000;

/** Accepted `typ` headers. A token without one is accepted; one for another purpose (logout, event) is not. */
const KINDS: ReadonlySet<string> = new Set(['jwt', 'at+jwt']);

/** Tokens may read and write as far as their role allows; metrics need an API key. */
const SCOPES_OF_TOKENS = ['read', 'write'] as const;

/** Problems that the sender is told. Any other failure is not caused by the token. */
const FAULTS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'the token has expired',
  ERR_JWT_INVALID: 'the token is malformed',
  ERR_JWS_INVALID: 'the token is malformed',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'the token is not signed by its issuer',
  ERR_JOSE_ALG_NOT_ALLOWED: 'the token is not signed as its issuer signs',
  ERR_JOSE_NOT_SUPPORTED: 'the token is not signed as its issuer signs',
  ERR_JWKS_NO_MATCHING_KEY: 'the token is not signed by its issuer',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'the token does not say which key it is signed with',
};

/** By the claim that has a wrong value; `iss` and `aud` are of another issuer or audience. */
const TIME_FAULTS: Readonly<Record<string, string>> = {
  nbf: 'the token is not valid yet',
  iat: 'the token was issued in the future',
};

function faultOf(error: errors.JOSEError): string | undefined {
  // Only the check of the age names this claim.
  if (error instanceof errors.JWTExpired && error.claim === 'iat') return 'the token is older than JWT_MAX_AGE_HOURS';
  if (!(error instanceof errors.JWTClaimValidationFailed)) return FAULTS[error.code];
  const { claim, reason } = error;
  if (reason === 'missing') return `the token has no claim ${JSON.stringify(claim)}`;
  if (reason === 'invalid') return 'the token is malformed';
  return TIME_FAULTS[claim] ?? 'the token is not one for this gateway';
}

export interface TokenCheckerParts {
  readonly settings: TokenSettings;
  readonly log: Pick<Log, 'warn'>;
}

/** Checks signature, issuer, audience, age and claims of JWTs. */
export class TokenChecker {
  readonly #parts: TokenCheckerParts;
  readonly #keys: JWTVerifyGetKey;
  readonly #options: JWTVerifyOptions;

  constructor(parts: TokenCheckerParts) {
    this.#parts = parts;
    const { key, issuer, audience, algorithms, maxAgeHours, tenantClaim } = parts.settings;
    this.#keys = keysOf(key);
    // By default jose accepts tokens without expiry, issuer or audience, or with one of ten years.
    this.#options = {
      algorithms: [...algorithms],
      issuer,
      audience,
      maxTokenAge: `${maxAgeHours} hours`,
      clockTolerance: CLOCK_TOLERANCE_S,
      requiredClaims: ['exp', 'sub', tenantClaim],
    };
  }

  /** UnauthenticatedError if the token is invalid; UnavailableError (`auth`) if the issuer's keys cannot be fetched. */
  async check(token: string): Promise<Caller> {
    return this.#callerOf(await this.#claimsOf(token));
  }

  async #claimsOf(token: string): Promise<JWTPayload> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.#keys, this.#options);
      const kind = protectedHeader.typ?.toLowerCase().replace(/^application\//, '') ?? 'jwt';
      if (!KINDS.has(kind)) throw new UnauthenticatedError('the token type is not accepted');
      return payload;
    } catch (thrown) {
      if (thrown instanceof UnauthenticatedError) throw thrown;
      const fault = thrown instanceof errors.JOSEError ? faultOf(thrown) : undefined;
      if (fault !== undefined) throw new UnauthenticatedError(fault, { cause: thrown });
      this.#parts.log.warn({ err: asError(thrown) }, 'the signing keys of the token issuer cannot be loaded');
      throw new UnavailableError('auth', 'the signing keys of the token issuer cannot be loaded', { cause: thrown });
    }
  }

  /** A token without a role has the lowest one. */
  #callerOf(claims: JWTPayload): Caller {
    const { tenantClaim, roleClaim } = this.#parts.settings;
    try {
      return parseCaller({
        tenantId: claims[tenantClaim],
        ownerId: claims.sub,
        role: claims[roleClaim] ?? 'student',
        scopes: SCOPES_OF_TOKENS,
      });
    } catch (thrown) {
      if (!(thrown instanceof BadInputError)) throw thrown;
      const claim = { tenantId: tenantClaim, ownerId: 'sub', role: roleClaim }[thrown.field] ?? thrown.field;
      throw new UnauthenticatedError(`the claim ${JSON.stringify(claim)} of the token ${thrown.problem}`, {
        cause: thrown,
      });
    }
  }
}

function keysOf(key: TokenSettings['key']): JWTVerifyGetKey {
  switch (key.kind) {
    case 'secret': {
      const secret = new TextEncoder().encode(key.secret);
      return () => secret;
    }
    case 'jwks': {
      const keys = createRemoteJWKSet(new URL(key.url), {
        timeoutDuration: KEYS_TIMEOUT_MS,
        cacheMaxAge: KEYS_MAX_AGE_MS,
      });
      // jose fetches the keys again, at most every 30 s, for a key that is not among them. It would use one that it
      // cannot read until they expire, though the issuer has repaired it.
      return async (...token) => {
        try {
          return await keys(...token);
        } catch (thrown) {
          const isFault = thrown instanceof errors.JOSEError && faultOf(thrown) !== undefined;
          if (isFault || !keys.fresh || keys.coolingDown) throw thrown;
          await keys.reload();
          return keys(...token);
        }
      };
    }
  }
}
