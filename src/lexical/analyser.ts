import { formulaShapes } from '../text/formula-shapes.js';
import { lexemes } from '../text/lexemes.js';
import type { Tokenizer } from '../text/words.js';
import { features } from './features.js';
import type { Analyse } from './notebook-index.js';

/** What texts are matched by in a notebook: their words, and the shapes of their formulas. */
export function analyserOf(tokenizer: Pick<Tokenizer, 'tokensOfAll'>): Analyse {
  return (text) => {
    const parts = lexemes(text);
    return features(tokenizer.tokensOfAll(parts), formulaShapes(parts));
  };
}
