import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 8 random bytes: enough that two keys never meet, and no secret. */
const ID_BYTES = 8;

/** 256 bits: a hash without salt or rounds is enough, because nobody can try them all. */
const SECRET_BYTES = 32;

/** `ms_` (a mistake search key, for tools that look for leaked secrets), the id in hex, the secret in base64url. */
const FORM = /^ms_([0-9a-f]{16})_([\w-]{43})$/;

/** Compared against where there is no key with the id, so that both cases do the same work. */
const NOBODY = digestOf('');

/** A key in two parts: by one it is found, the other proves that it is held. */
export interface KeyParts {
  readonly id: string;
  readonly secret: string;
}

/** A new key: the text to hand out, once, and what is kept of it. */
export function newApiKey(): { readonly text: string; readonly id: string; readonly secretSha256: Uint8Array } {
  const id = randomBytes(ID_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { text: `ms_${id}_${secret}`, id, secretSha256: digestOf(secret) };
}

/** The parts of a key's text; null for any other text. */
export function keyParts(text: string): KeyParts | null {
  const [, id, secret] = FORM.exec(text) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret };
}

/** Whether the secret is the one that `secretSha256` was made from; null is never right, and takes as long. */
export function isSecret(secret: string, secretSha256: Uint8Array | null): boolean {
  return timingSafeEqual(digestOf(secret), secretSha256 ?? NOBODY) && secretSha256 !== null;
}

function digestOf(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}
