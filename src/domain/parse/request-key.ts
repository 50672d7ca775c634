import { BadInputError } from '../errors.js';

/** Printable ASCII without spaces: what every client can send and every log can show. */
const FORM = /^[\x21-\x7e]{1,200}$/;

/** The value of an Idempotency-Key header; null where there is none. BadInputError (`Idempotency-Key`). */
export function parseRequestKey(header: unknown): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && FORM.test(header)) return header;
  throw new BadInputError('Idempotency-Key', 'must be 1 to 200 printable ASCII characters without spaces');
}
