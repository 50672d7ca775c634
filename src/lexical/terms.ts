/** Begins a shape, and no word. */
const SHAPE_MARK = '\u0001';

/**
 * nDCG@10 of the whole search at 0, .25, .5, .75, 1, in the lexical lanes and the label profiles alike. Topics in Chinese: .369,
 * .374, .374, .365, .359; in English: .459, .473, .476, .471, .470; errors in algebra: .581, .605, .618, .609, .602; of an
 * equation tutor: .455, .540, .572, .585, .571.
 */
const SHAPE_WEIGHT = 0.5;

/**
 * What a text is matched by: its words, and the shapes of its formulas, which say what the words of an equation, x and y and
 * numbers, do not. `shapes` are kept apart from words that are spelled alike.
 */
export function features(words: readonly string[], shapes: readonly string[]): string[] {
  return [...words, ...shapes.map((shape) => SHAPE_MARK + shape)];
}

/** How much a query's feature counts: 1 for a word. */
export function termWeight(feature: string): number {
  return feature.startsWith(SHAPE_MARK) ? SHAPE_WEIGHT : 1;
}
