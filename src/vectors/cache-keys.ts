/** Separates the parts of a key; no tenant id contains it. */
export const SEPARATOR = '\u0001';

/** Sorts after every key with the same prefix. */
export const LAST = '\uffff';

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
