import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 8 random bytes: enough to be unique; not secret. */
const ID_BYTES = 8;

/** 256 bits: a hash without salt or rounds is enough against brute force. */
const SECRET_BYTES = 32;

/**
 * `errata_` (which secret scanners can find), the id in hex, the secret in base64url. Earlier versions created keys
 * with `ms_`.
 */
const FORM = /^(?:errata|ms)_([0-9a-f]{16})_([\w-]{43})$/;

/** Compared if no key has the id, so that both cases take the same time. */
const NOBODY = digestOf('');

/** The id finds the key, the secret proves possession. */
export interface KeyParts {
  readonly id: string;
  readonly secret: string;
}

/** A new key: the text to show once, and the parts to store. */
export function newApiKey(): { readonly text: string; readonly id: string; readonly secretSha256: Uint8Array } {
  const id = randomBytes(ID_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { text: `errata_${id}_${secret}`, id, secretSha256: digestOf(secret) };
}

/** The parts of a key's text; null for any other text. */
export function keyParts(text: string): KeyParts | null {
  const [, id, secret] = FORM.exec(text) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret };
}

/** Compares a secret with a stored hash in constant time; null is never equal. */
export function isSecret(secret: string, secretSha256: Uint8Array | null): boolean {
  return timingSafeEqual(digestOf(secret), secretSha256 ?? NOBODY) && secretSha256 !== null;
}

function digestOf(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}
