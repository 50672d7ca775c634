import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';
import type { OnDuplicate } from '../../src/domain/duplicates.js';
import { BadInputError } from '../../src/domain/errors.js';
import { parseOnDuplicate } from '../../src/domain/parse/import.js';
import type { RequestKey } from '../../src/domain/ports/cards.js';
import type { Context } from '../context.js';

/** The mutations that are made at most once for a key. */
export const KEYED_MUTATIONS: ReadonlySet<string> = new Set([
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
    // `__typename` is no mutation.
    if (field.startsWith('__')) continue;
    if (!KEYED_MUTATIONS.has(field)) throw new BadInputError('Idempotency-Key', `${field} does not accept one`);
  }
}

/**
 * How a new card's duplicates are handled; KEEP by default. BadInputError (`Idempotency-Key`) for another way if the
 * request has a key.
 */
export function duplicatesMode(onDuplicate: unknown, { requestKey }: Context): OnDuplicate {
  const mode = parseOnDuplicate(onDuplicate, 'onDuplicate', 'KEEP');
  if (requestKey === null || mode === 'KEEP') return mode;
  const problem = `onDuplicate: ${mode} does not accept one: a repeated request finds the cards of the first`;
  throw new BadInputError('Idempotency-Key', problem);
}

interface Item {
  readonly place: number;
  readonly count: number;
}

/**
 * Idempotency key of one mutation, or of one of its items: request key and place, with the arguments as sent, because
 * defaults such as the present time differ each time. The first item has the key of a single mutation, so that either
 * is refused after the other. Null without a request key.
 */
export function requestKeyOf(
  { requestKey, viewer }: Context,
  info: GraphQLResolveInfo,
  facts: object,
  item: Item | null = null,
): RequestKey | null {
  if (requestKey === null) return null;
  const place = mutationsOf(info.operation.selectionSet, info).indexOf(info.fieldNodes[0] as FieldNode);
  const key = `${requestKey} ${place}`;
  const written = item === null ? [info.fieldName, facts] : [info.fieldName, facts, item.count];
  return {
    key: item === null || item.place === 0 ? key : `${key} ${item.place}`,
    body: JSON.stringify(written, (name, value) =>
      // Null means that nothing is given, except in a change: an app may store in columns what it sends again.
      value === null && (name === 'expectedRevision' || info.fieldName.startsWith('createCard')) ? undefined : value,
    ),
    sender: viewer,
  };
}

/** In order, whatever their aliases; `__typename` is no mutation. */
function mutationsOf({ selections }: SelectionSetNode, info: GraphQLResolveInfo): readonly FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return selection.name.value.startsWith('__') ? [] : [selection];
    const spread = selection.kind === Kind.INLINE_FRAGMENT ? selection : info.fragments[selection.name.value];
    return spread === undefined ? [] : mutationsOf(spread.selectionSet, info);
  });
}
