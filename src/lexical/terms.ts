import { formulaShapes } from '../text/formula-shapes.js';
import { lexemes } from '../text/lexemes.js';
import type { Tokenizer } from '../text/tokenizer.js';

/** The terms of a text, in order: always the same ones for the same text. */
export type Analyse = (text: string) => readonly string[];

/** Begins the term of a shape, and no token. */
const SHAPE_MARK = '\u0001';

/**
 * The factors of the idf of what formulas are made of, in the lexical lanes and the label profiles. Numbers and
 * variables change when an exercise is reused, and as rare terms they would outweigh the words and the shape of the
 * formula: docs/quality.md.
 */
const FORMULA_WEIGHTS = { shape: 0.5, number: 0.3, sign: 0.4, variable: 0.4 } as const;

/** No text that a person wrote has as many; a text of signs alone may, and is cut. */
const MAX_TERMS = 20_000;

const NUMBER = /^\d/;
const SIGN = /^[\p{Sm}\p{So}\p{Script=Greek}/%*^:-]/u;
const VARIABLE = /^[a-z]$/;

/**
 * The tokens of a text and the shapes of its formulas: the tokens of an equation (x, y and numbers) do not say what
 * kind of equation it is. Shapes beyond {@link MAX_TERMS} are not made: nobody would index them.
 */
export function analyserOf(tokenizer: Pick<Tokenizer, 'tokensOfAll'>): Analyse {
  return (text) => {
    const parts = lexemes(text);
    const tokens = tokenizer.tokensOfAll(parts);
    const shapes = formulaShapes(parts, Math.max(0, MAX_TERMS - tokens.length));
    return tokens.concat(shapes.map(shapeTerm));
  };
}

/** The terms of texts, in order. */
export function termsOfTexts(texts: readonly string[], analyse: Analyse): readonly string[] {
  return texts.flatMap(analyse).slice(0, MAX_TERMS);
}

/** The term of a shape: no token is equal to it. */
export function shapeTerm(shape: string): string {
  return SHAPE_MARK + shape;
}

/** Only a formula with an operator has one. */
export function isShape(term: string): boolean {
  return term.startsWith(SHAPE_MARK);
}

/** The factor of a term's idf, above 0: 1 for a word. */
export function termWeight(term: string): number {
  if (isShape(term)) return FORMULA_WEIGHTS.shape;
  if (NUMBER.test(term)) return FORMULA_WEIGHTS.number;
  if (SIGN.test(term)) return FORMULA_WEIGHTS.sign;
  return VARIABLE.test(term) ? FORMULA_WEIGHTS.variable : 1;
}
