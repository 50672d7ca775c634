import { SignJWT } from 'jose';

const SECRET = 'a secret of a benchmark, with more than 32 bytes';
const ISSUER = 'https://school.example';
const AUDIENCE = 'errata';

/** Settings of a gateway that accepts the credentials of {@link bearerOf}. */
export const SCHOOL_SETTINGS = { JWT_SECRET: SECRET, JWT_ISSUER: ISSUER, JWT_AUDIENCE: AUDIENCE, RATE_LIMIT: '0' };

/** A credential for a day. */
export async function bearerOf(who: {
  readonly sub: string;
  readonly tenant: string;
  readonly role: string;
}): Promise<string> {
  const { sub, ...claims } = who;
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).setSubject(sub);
  return token
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt()
    .setExpirationTime('1 day')
    .sign(new TextEncoder().encode(SECRET));
}
