import type { Pair } from './pairs.js';

/** The oldest are forgotten: about 600 kB a person, of the 5 MB that a browser gives to a site. */
const MAX_KEPT = 10_000;

export type Kept = readonly string[];

/** With the revisions, so that a pair of which a card was changed is shown again. */
export function keyOf({ into, from }: Pick<Pair, 'into' | 'from'>): string {
  return [into, from]
    .map(({ id, revision }) => `${id}@${revision}`)
    .sort()
    .join(' ');
}

/** What another version of the page, or somebody by hand, has stored may be anything. */
export function keptIn(text: string | null): Kept {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

export function withKept(kept: Kept, key: string): Kept {
  return [...new Set([...kept, key])].slice(-MAX_KEPT);
}
