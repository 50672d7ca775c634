/**
 * Separates the parts of a key; no tenant id contains it. U+0000 to U+0002 separate the parts of lmdb's own keys: it
 * would read a key of 64 characters or more with one of them as a list.
 */
export const SEPARATOR = '\u001f';
const AFTER_SEPARATOR = '\u0020';

/** Sorts after every key with this prefix, which ends with a separator. */
export function endOf(prefix: string): string {
  return `${prefix.slice(0, -1)}${AFTER_SEPARATOR}`;
}

/** With '' as the card's id: the prefix of all keys of the generation. */
export function keyOf(tenantId: string, generation: number, cardId: string): string {
  return `${tenantId}${SEPARATOR}${generation}${SEPARATOR}${cardId}`;
}

interface KeyParts {
  readonly tenantId: string;
  /** The prefix of all keys of the generation. */
  readonly generation: string;
  readonly cardId: string;
}

export function partsOf(key: string): KeyParts {
  const tenant = key.indexOf(SEPARATOR);
  const end = key.indexOf(SEPARATOR, tenant + 1) + 1;
  return { tenantId: key.slice(0, tenant), generation: key.slice(0, end), cardId: key.slice(end) };
}
