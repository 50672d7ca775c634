import { createHash } from 'node:crypto';
import { BadInputError } from './errors.js';
import { jsonIn } from './parse/json.js';
import { type Viewer, visibleOwner } from './viewer.js';

export interface Edge<T> {
  readonly cursor: string;
  readonly node: T;
}

export interface Page<T> {
  readonly edges: readonly Edge<T>[];
  readonly hasNextPage: boolean;
}

export interface CountedPage<T> extends Page<T> {
  /** On all pages. */
  readonly totalCount: number;
}

/** The values that say where an entry is in its list. */
export type Place = readonly (string | number | null)[];

/** The cursor of a place, opaque to clients. */
export function encodeCursor(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** The position in a cursor. BadInputError (`after`) if it is malformed, or not a position of this list (`isPlace`). */
export function decodeCursor<P extends Place>(cursor: string, isPlace: (values: Place) => values is P): P {
  const values = jsonIn(Buffer.from(cursor, 'base64url').toString());
  const isOurs = Array.isArray(values) && encodeCursor(values) === cursor && !values.some(hasNul);
  if (isOurs && isPlace(values)) return values;
  throw new BadInputError('after', 'is not a cursor of this list');
}

/** PostgreSQL refuses such a text. */
function hasNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}

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
