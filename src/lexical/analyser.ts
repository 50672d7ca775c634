import { formulaShapes } from '../text/formula-shapes.js';
import { lexemes } from '../text/lexemes.js';
import type { Tokenizer } from '../text/words.js';
import type { Analyse } from './lexical-index.js';
import { features } from './terms.js';

/** What texts are matched by in a notebook: their words, and the shapes of their formulas. */
export function analyserOf(tokenizer: Pick<Tokenizer, 'tokensOfAll'>): Analyse {
  return (text) => {
    const parts = lexemes(text);
    return features(tokenizer.tokensOfAll(parts), formulaShapes(parts));
  };
}
