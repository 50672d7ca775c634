import type { GraphQLResolveInfo } from 'graphql';
import { BadInputError } from '../src/domain/errors.js';
import type { RequestKey } from '../src/domain/ports/cards.js';
import type { Context } from './context.js';

/** The mutations that are made at most once for a key. */
const KEYED: ReadonlySet<string> = new Set([
  'createCard',
  'updateCard',
  'deleteCard',
  'createCards',
  'updateCards',
  'deleteCards',
]);

/** BadInputError (`Idempotency-Key`) if a request has a key but one of its mutations does not support it. */
export function refuseUnusedKey(requestKey: string | null, kind: string, rootFields: Iterable<string>): void {
  if (requestKey === null || kind !== 'mutation') return;
  for (const field of rootFields) {
    if (!KEYED.has(field)) throw new BadInputError('Idempotency-Key', `${field} does not accept one`);
  }
}

/**
 * What makes a mutation of a request known again: the request's key with the mutation's own name in the answer, as a
 * request may have several, and all that the change depends on, as the client wrote it: what is filled in, such as the
 * present moment, is another each time. Null where the request has no key.
 */
export function requestKeyOf({ requestKey }: Context, info: GraphQLResolveInfo, facts: object): RequestKey | null {
  if (requestKey === null) return null;
  return { key: `${requestKey} ${info.path.key}`, body: JSON.stringify([info.fieldName, facts]) };
}
