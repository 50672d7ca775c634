import { BadInputError } from './errors.js';
import { jsonIn } from './parse/json.js';

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
