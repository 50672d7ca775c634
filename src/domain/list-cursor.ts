import { createHash } from 'node:crypto';
import { BadInputError } from './errors.js';
import { decodeCursor, encodeCursor, type Place } from './page.js';
import { type Viewer, visibleOwner } from './viewer.js';

/** Of a list: equal for viewers who see the same cards, and these facts. 22 characters. */
export function listDigest(viewer: Viewer, facts: readonly unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify([viewer.tenantId, visibleOwner(viewer) ?? null, ...facts]))
    .digest()
    .subarray(0, 16)
    .toString('base64url');
}

/** What is given of a filter, for a digest: independent of the order of keys and lists. */
export function filterFacts(filter: object): readonly (readonly [field: string, value: unknown])[] {
  return Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, Array.isArray(value) ? [...new Set<string>(value)].sort() : value] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1));
}

/**
 * The cursor of a place in the list with this digest, because a place in one list means nothing in another. A forged
 * digest shows nothing: the viewer's own conditions choose the entries.
 */
export function listCursor(place: Place, list: string): string {
  return encodeCursor([...place, list]);
}

/** The place in a cursor. BadInputError (`after`) for a cursor that is malformed or of another list. */
export function placeInList<P extends Place>(cursor: string, isPlace: (values: Place) => values is P, list: string): P {
  const isBound = (values: Place): values is Place => isPlace(values.slice(0, -1));
  const values = decodeCursor(cursor, isBound);
  if (values.at(-1) !== list) throw new BadInputError('after', 'is a cursor of another filter, order or viewer');
  return values.slice(0, -1) as Place as P;
}
