import type { RecallLayer } from '../domain/search.js';

/** What scores mean with one model: cosines of hashed words and of a semantic model are not on one scale. */
export interface Bands {
  /** The threshold steps of a search, on the weighted score, descending. */
  readonly steps: readonly number[];
  /** Those of each layer of a layered search, on the likeness in that layer's own lanes. */
  readonly layers: Readonly<Record<RecallLayer, readonly number[]>>;
  /** How alike the nearest card must be, by its texts, for the labels that are inferred to be believed fully. */
  readonly sureAt: number;
}

/**
 * The built-in embedder sees shared words, so that a good hit may score .2 and a twin 1. nDCG@10 without steps, and with the
 * last one at .15, .18 and .2: topics in Chinese .296, .291, .286, .285; in English .510, .509, .507, .507; errors in algebra
 * .610, .581, .566, .551; an equation tutor .567 throughout. Of 52 questions that have no answer there (history, biology,
 * gibberish), 11, 20, 7 and 7 get any hit with .15, all of them without steps. The upper steps cut lists of ten short where five
 * are very close: lower ones cost up to .03.
 */
const BUILTIN: Bands = {
  steps: [0.8, 0.6, 0.15],
  layers: { SEMANTIC: [0.7, 0.5, 0.3], STRUCTURE: [1, 0.8, 0.6], KEYWORD: [0.7, 0.5, 0.3], EXPANDED: [0.6, 0.4, 0.2] },
  sureAt: 0.2,
};

/** As commonly used with sentence embeddings; not calibrated here, for want of a model to do it with. */
const SEMANTIC: Bands = {
  steps: [0.7, 0.6, 0.5],
  layers: { SEMANTIC: [0.7, 0.6, 0.5], STRUCTURE: [1, 0.8, 0.6], KEYWORD: [0.7, 0.5, 0.3], EXPANDED: [0.6, 0.4, 0.2] },
  sureAt: 0.5,
};

/** The bands of a model, by its name. */
export function bandsOf(model: string): Bands {
  return model === 'builtin' ? BUILTIN : SEMANTIC;
}
