import { type JWTPayload, SignJWT } from 'jose';

/** What a test gateway takes tokens by, as its environment says it. */
export const TOKEN_SETTINGS = {
  JWT_SECRET: 'a secret of a test, with more than 32 bytes',
  JWT_ISSUER: 'https://school.example',
  JWT_AUDIENCE: 'errata',
} as const;

/**
 * The claims of somebody in a school, for an hour; what the test is about is given, and undefined leaves a claim out.
 */
export function claimsOf(given: JWTPayload): JWTPayload {
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: TOKEN_SETTINGS.JWT_ISSUER,
    aud: TOKEN_SETTINGS.JWT_AUDIENCE,
    iat: now,
    exp: now + 3_600,
    sub: 'amy',
    tenant: 'north',
    role: 'student',
    ...given,
  };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}

/** A token with these claims, signed with the shared secret. */
export function tokenOf(given: JWTPayload): Promise<string> {
  return new SignJWT(claimsOf(given))
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(TOKEN_SETTINGS.JWT_SECRET));
}
