import { type SearchRequest } from '../../../src/domain/search.js';
import { type World } from '../../support/engine-world.js';
import { cardOf, requestOf, unit } from '../../support/generators.js';

/**
 * A world of questions, each at an angle to the query `q`: at a similarity of .9, .8, ... in the plane, or beside it.
 */
export function worldOf(similarities: Readonly<Record<string, number>>, others: Partial<World> = {}): World {
  const vectors = new Map([['q', unit([1, 0, 0])]]);
  const cards = Object.entries(similarities).map(([id, similarity]) => {
    vectors.set(id, unit([similarity, Math.sqrt(1 - similarity ** 2), 0]));
    return cardOf({ id, questionText: id });
  });
  const vectorOf = (text: string): Float32Array => vectors.get(text) ?? unit([0, 0, 1]);
  return { cards, vectorOf, ...others };
}

const subject = { kind: 'text', text: 'q' } as const;
export const five = { a: 0.9, b: 0.75, c: 0.65, d: 0.55, e: 0.3 };

export function asking(given: Partial<SearchRequest> = {}): SearchRequest {
  return requestOf({ subject, ...given });
}
