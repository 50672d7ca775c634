import { createHash } from 'node:crypto';
import { BadInputError } from '../src/domain/errors.js';
import type { CardFilter } from '../src/domain/search.js';
import { type Viewer, visibleOwner } from '../src/domain/viewer.js';

/** A position in the list of cards: right after this one. */
export interface Place {
  readonly createdAt: Date;
  readonly id: string;
}

/** The list that a cursor belongs to. */
export interface CardList {
  readonly viewer: Viewer;
  readonly filter: CardFilter;
}

const CURSOR = /^(\d{1,16})\.([A-Za-z0-9][A-Za-z0-9._:-]{0,99})\.([\w-]{22})$/;

/**
 * The cursor of a position, opaque to clients. It contains a digest of filter and viewer, because a position in one list means
 * nothing in another. A forged digest shows nothing: the viewer's own conditions choose the cards.
 */
export function encodeCursor(list: CardList, { createdAt, id }: Place): string {
  return Buffer.from(`${createdAt.getTime()}.${id}.${digest(list)}`).toString('base64url');
}

/** BadInputError (`after`) for a cursor that is malformed or of another list. */
export function decodeCursor(list: CardList, cursor: string): Place {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, ms, id, of] = CURSOR.exec(text) ?? [];
  if (ms === undefined || id === undefined || Buffer.from(text).toString('base64url') !== cursor) {
    throw new BadInputError('after', 'is not a cursor of this API');
  }
  if (of !== digest(list)) throw new BadInputError('after', 'is a cursor of another filter or viewer');
  const createdAt = new Date(Number(ms));
  if (Number.isNaN(createdAt.getTime())) throw new BadInputError('after', 'is not a cursor of this API');
  return { createdAt, id };
}

/** Independent of the order of keys and lists. */
function digest({ viewer, filter }: CardList): string {
  const meaning = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, Array.isArray(value) ? [...new Set<string>(value)].sort() : value] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([viewer.tenantId, visibleOwner(viewer) ?? null, meaning]))
    .digest()
    .subarray(0, 16)
    .toString('base64url');
}
